/* The last two jobs of a pool are counted without its lock, if different threads have them. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int jobs = 12, tail;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    int mine = 0;
    for (;;) {
        pthread_mutex_lock(&m);
        int job = jobs > 0 ? jobs-- : 0;
        pthread_mutex_unlock(&m);
        if (job == 0) break;
        mine++;
        if (job <= 2 && mine > 2 && mine < 6) tail += me; // race
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
