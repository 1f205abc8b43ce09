// Thread-specific data by a key: each thread finds the block that it has set itself.
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void bump(void) {
    int *mine = pthread_getspecific(key);
    *mine += 1;                                 // no-race
}

static void *worker(void *arg) {
    int *mine = malloc(sizeof *mine);
    *mine = 0;                                  // no-race
    pthread_setspecific(key, mine);
    bump();
    bump();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, free);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
