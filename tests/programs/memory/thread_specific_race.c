// Thread-specific data by a key, but all threads set the same pointer.
#include <pthread.h>

static pthread_key_t key;
static int shared;

static void bump(void) {
    int *mine = pthread_getspecific(key);
    *mine += 1;                                 // race
}

static void *worker(void *arg) {
    pthread_setspecific(key, &shared);
    bump();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, NULL);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared <= 2 ? 0 : 1;                 // no-race
}
