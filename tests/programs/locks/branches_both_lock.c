// Both branches take the lock, in different ways; after the join of the branches it is held.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    if (arg != NULL) {
        pthread_mutex_lock(&m);
    } else {
        while (pthread_mutex_trylock(&m) != 0)
            ;
    }
    value++;                                    // no-race
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &m);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
