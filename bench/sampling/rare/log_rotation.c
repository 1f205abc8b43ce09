/* Two that find the log full. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int size, file;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        int at = ++size;
        pthread_mutex_unlock(&m);
        if (at >= 7 && at <= 8) { // who rotates
            file = me; // race
            pthread_mutex_lock(&m);
            size = 0;
            pthread_mutex_unlock(&m);
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
