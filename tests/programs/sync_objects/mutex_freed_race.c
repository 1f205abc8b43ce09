// A mutex on the heap is freed while another thread may still take it.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *mutex;

static void *worker(void *arg) {
    pthread_mutex_lock(mutex);                  // race
    pthread_mutex_unlock(mutex);                // race
    return arg;
}

int main(void) {
    pthread_t thread;
    mutex = malloc(sizeof *mutex);
    if (mutex == NULL) return 1;
    pthread_mutex_init(mutex, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    free(mutex);                                // race
    pthread_join(thread, NULL);
    return 0;
}
