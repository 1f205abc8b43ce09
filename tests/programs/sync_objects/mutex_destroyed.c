// A mutex is destroyed when nobody is left who could take it.
#include <pthread.h>

static pthread_mutex_t mutex;
static int count;

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);                 // no-race
    count++;                                    // no-race
    pthread_mutex_unlock(&mutex);               // no-race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&mutex, NULL);           // no-race
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    count++;                                    // no-race
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&mutex);              // no-race
    return 0;
}
