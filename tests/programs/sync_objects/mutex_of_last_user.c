// Who gives back the last reference destroys the mutex that protects their number, as POSIX allows.
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t mutex;
    int references;
};

static void release(struct object *object) {
    pthread_mutex_lock(&object->mutex);         // no-race alarm(lockset): values decide; alarm(shapes): values decide; alarm(petri): values decide
    int left = --object->references;            // no-race alarm(lockset): values decide; alarm(shapes): values decide; alarm(petri): values decide
    pthread_mutex_unlock(&object->mutex);       // no-race alarm(lockset): values decide; alarm(shapes): values decide; alarm(petri): values decide
    if (left == 0) {
        pthread_mutex_destroy(&object->mutex);
        free(object);
    }
}

static void *worker(void *arg) {
    release(arg);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct object *object = malloc(sizeof *object);
    if (object == NULL) return 1;
    pthread_mutex_init(&object->mutex, NULL);   // no-race
    object->references = 2;                     // no-race
    pthread_create(&thread, NULL, worker, object);
    release(object);
    pthread_join(thread, NULL);
    return 0;
}
