// Constant indices into an array of locks: x is changed under element 0 and under element 1.
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x;

static void *up(void *arg) {
    pthread_mutex_lock(&locks[0]);
    x++;                                        // race
    pthread_mutex_unlock(&locks[0]);
    return arg;
}

static void *down(void *arg) {
    pthread_mutex_lock(&locks[1]);
    x--;                                        // race
    pthread_mutex_unlock(&locks[1]);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, up, NULL);
    pthread_create(&b, NULL, down, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x;                                   // no-race
}
