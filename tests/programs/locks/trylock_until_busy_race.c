// A loop tries a lock until it is taken, which it is by the loop itself: it ends, and others may be at work.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *worker(void *arg) {
    total++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    while (pthread_mutex_trylock(&m) == 0)
        ;
    total++;                                    // race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
