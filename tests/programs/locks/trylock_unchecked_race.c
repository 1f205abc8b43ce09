// pthread_mutex_trylock may fail; the access does not look at the result, only the unlock does.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    for (int i = 0; i < 200; i++) {
        int got = pthread_mutex_trylock(&m) == 0;
        value++;                                // race
        if (got)
            pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 400 ? 0 : 1;                // no-race
}
