// Memory with a mutex in it is cleared while another thread may take that mutex.
#include <pthread.h>
#include <string.h>

static struct {
    pthread_mutex_t mutex;
    int unused;
} shared = {PTHREAD_MUTEX_INITIALIZER, 0};

static void *worker(void *arg) {
    pthread_mutex_lock(&shared.mutex);          // race
    pthread_mutex_unlock(&shared.mutex);        // race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    memset(&shared, 0, sizeof shared);          // race
    pthread_join(thread, NULL);
    return 0;
}
