// A start function that creates itself again; all instances count in one variable.
#include <pthread.h>

static int instances;

static void *worker(void *arg) {
    long depth = (long)arg;
    instances++;                                // race
    if (depth > 0) {
        pthread_t t;
        pthread_create(&t, NULL, worker, (void *)(depth - 1));
        instances++;                            // race
        pthread_join(t, NULL);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, (void *)2L);
    pthread_join(t, NULL);
    return instances <= 5 ? 0 : 1;              // no-race
}
