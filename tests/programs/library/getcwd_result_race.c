// What getcwd returns is the array that it was given, in which another thread writes.
#include <pthread.h>
#include <unistd.h>

static char path[4096];
static char *result;

static void *first(void *arg) {
    result[0] = 'x';                           // race
    return arg;
}

static void *second(void *arg) {
    path[0] = 'y';                             // race
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
