/* An initialisation that others may find begun. */
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

#define THREADS 2
static atomic_int begun;
static int *value;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    (void)me;
    if (atomic_exchange(&begun, 1) == 0) {
        int *made = malloc(sizeof *made);
        *made = 5;
        value = made; // race
    } else if (value != NULL) { // race
        abort();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
