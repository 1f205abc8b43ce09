// When the thread cannot be created, its work is done on the spot.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int created = pthread_create(&t, NULL, worker, NULL) == 0;
    if (!created)
        worker(NULL);
    if (created)
        pthread_join(t, NULL);
    return value == 1 ? 0 : 1;                  // no-race
}
