// A mutex is initialised when another thread exists already: it may hold the mutex, which is then free again.
#include <pthread.h>

static pthread_mutex_t mutex;
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
    pthread_mutex_init(&mutex, NULL);           // race
    pthread_mutex_lock(&mutex);
    count++;                                    // no-race
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
