/* A write that is put off while others read, but not for ever. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int readers, put_off, data;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    if (me == 0) {
        for (int i = 0; i < 3; i++) {
            pthread_mutex_lock(&m);
            int busy = readers;
            if (!busy || i == 2) data++; // race
            pthread_mutex_unlock(&m);
            if (!busy) break;
        }
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        readers++;
        pthread_mutex_unlock(&m);
        int copy = data; // race
        (void)copy;
        pthread_mutex_lock(&m);
        readers--;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
