/* Three that come to the lock in the order in which nobody created them. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int order, x;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    pthread_mutex_lock(&m);
    order = order * 10 + me + 1;
    int now = order;
    pthread_mutex_unlock(&m);
    if (now == 32 || now == 321) x = me; // race
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
