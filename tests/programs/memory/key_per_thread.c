// A key has a value of its own in every thread; a new thread starts with null.
#include <pthread.h>

static pthread_key_t key;
static int slot[2];

static void *worker(void *arg) {
    int *mine;
    if (pthread_getspecific(key) != NULL)
        return NULL;
    pthread_setspecific(key, arg);
    mine = pthread_getspecific(key);
    (*mine)++;                                  // no-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, NULL);
    pthread_create(&a, NULL, worker, &slot[0]);
    pthread_create(&b, NULL, worker, &slot[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return slot[0] + slot[1] == 2 ? 0 : 1;      // no-race
}
