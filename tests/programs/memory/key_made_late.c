// A key whose destructor reads it is made before any thread that uses it.
#include <pthread.h>

static pthread_key_t key;

static void destroy(void *value) {
    (void)value;
    pthread_setspecific(key, NULL);             // no-race
}

static void *worker(void *arg) {
    pthread_setspecific(key, arg);              // no-race
    return NULL;
}

int main(void) {
    pthread_t t;
    int something = 1;
    pthread_key_create(&key, destroy);          // no-race
    pthread_create(&t, NULL, worker, &something);
    pthread_join(t, NULL);
    return 0;
}
