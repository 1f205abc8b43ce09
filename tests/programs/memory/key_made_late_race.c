// A key is made while a thread runs that uses it: its destructor, too, may read the key that is being stored.
#include <pthread.h>

static pthread_key_t key;

static void destroy(void *value) {
    (void)value;
    pthread_setspecific(key, NULL);             // race
}

static void *worker(void *arg) {
    pthread_setspecific(key, arg);              // race
    return NULL;
}

int main(void) {
    pthread_t t;
    int something = 1;
    pthread_create(&t, NULL, worker, &something);
    pthread_key_create(&key, destroy);          // race
    pthread_join(t, NULL);
    return 0;
}
