/* All have to be inside together. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 4
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int inside, peak;

static void *worker(void *argument) {
    (void)argument;
    pthread_mutex_lock(&m);
    int crowd = ++inside;
    pthread_mutex_unlock(&m);
    if (crowd >= THREADS - 1) peak = crowd; // race
    pthread_mutex_lock(&m);
    inside--;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
