// A mutex is destroyed while another thread may still take it.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);                 // race
    count++;                                    // no-race
    pthread_mutex_unlock(&mutex);               // race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);                 // no-race
    count++;                                    // no-race
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);              // race
    pthread_join(thread, NULL);
    return 0;
}
