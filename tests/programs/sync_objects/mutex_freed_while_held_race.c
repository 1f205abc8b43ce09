// Who holds the mutex frees it; another thread may be about to take it.
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t mutex;
    int value;
};

static void *worker(void *arg) {
    struct object *object = arg;
    pthread_mutex_lock(&object->mutex);         // race
    pthread_mutex_unlock(&object->mutex);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct object *object = malloc(sizeof *object);
    if (object == NULL) return 1;
    pthread_mutex_init(&object->mutex, NULL);   // no-race
    pthread_create(&thread, NULL, worker, object);
    pthread_mutex_lock(&object->mutex);         // no-race
    free(object);                               // race
    pthread_join(thread, NULL);
    return 0;
}
