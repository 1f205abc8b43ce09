/* Buckets with a lock for each; the count of long chains has none. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 3
static pthread_mutex_t locks[4];
static int chains[4], longest;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    for (int i = 0; i < 4; i++) {
        int bucket = me == 1 ? 3 - i : i;
        pthread_mutex_lock(&locks[bucket]);
        int length = ++chains[bucket];
        pthread_mutex_unlock(&locks[bucket]);
        if (length == THREADS) longest = length; // race
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < 4; i++) pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
