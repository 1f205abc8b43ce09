// Which lock it is stands beside the data; main goes by what stood there before it changed it.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pthread_mutex_t *lock;
    int data;
} box = {&first, 0};

static void *worker(void *arg) {
    pthread_mutex_t *lock = box.lock;           // no-race
    pthread_mutex_lock(lock);
    box.data++;                                 // race
    pthread_mutex_unlock(lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_t *lock = box.lock;           // no-race
    box.lock = &second;                         // no-race
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(lock);
    box.data++;                                 // race
    pthread_mutex_unlock(lock);
    pthread_join(t, NULL);
    return box.data == 2 ? 0 : 1;               // no-race
}
