// A field of a new object is known until another thread gets the object, which changes it under a lock.
#include <pthread.h>
#include <stdlib.h>

struct chosen {
    pthread_mutex_t lock;
    int index;
};

static int data[4];

static void *other(void *arg) {
    struct chosen *chosen = arg;
    pthread_mutex_lock(&chosen->lock);
    chosen->index = 2;                          // no-race
    pthread_mutex_unlock(&chosen->lock);
    data[2] = 1;                                // race
    return NULL;
}

int main(void) {
    pthread_t t;
    struct chosen *chosen = malloc(sizeof *chosen);
    pthread_mutex_init(&chosen->lock, NULL);
    chosen->index = 1;                          // no-race
    pthread_create(&t, NULL, other, chosen);
    pthread_mutex_lock(&chosen->lock);
    int index = chosen->index;                  // no-race
    pthread_mutex_unlock(&chosen->lock);
    data[index] = 2;                            // race
    pthread_join(t, NULL);
    free(chosen);
    return 0;
}
