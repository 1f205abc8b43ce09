// What getcwd returns is the array that it was given: both are used under one lock.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char path[4096];
static char *result;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    result[0] = 'x';                           // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    path[0] = 'y';                             // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    result = getcwd(path, sizeof path);
    if (result == NULL) {
        return 1;
    }
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
