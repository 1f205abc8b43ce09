// A key has a value of its own in every thread, but both values are the same pointer.
#include <pthread.h>

static pthread_key_t key;
static int slot;

static void *worker(void *arg) {
    int *mine;
    pthread_setspecific(key, arg);
    mine = pthread_getspecific(key);
    (*mine)++;                                  // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, NULL);
    pthread_create(&a, NULL, worker, &slot);
    pthread_create(&b, NULL, worker, &slot);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return slot >= 1 ? 0 : 1;                   // no-race
}
