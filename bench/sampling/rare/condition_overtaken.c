/* One that overtakes those who wait. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int tokens, waited, spent;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    if (me == 0) {
        pthread_mutex_lock(&m);
        tokens = 1;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
        return NULL;
    }
    pthread_mutex_lock(&m);
    int has_waited = 0;
    while (tokens == 0) {
        has_waited = 1;
        waited++;
        pthread_cond_wait(&c, &m);
    }
    int overtakes = !has_waited && waited > 0;
    pthread_mutex_unlock(&m);
    if (overtakes || has_waited) spent = me; // race
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
