// The destructor of thread-specific data counts in a plain global when threads end.
#include <pthread.h>

static pthread_key_t key;
static int ended;

static void on_end(void *value) {
    ended++;                                    // race
    (void)value;
}

static void *worker(void *arg) {
    pthread_setspecific(key, &key);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, on_end);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return ended <= 2 ? 0 : 1;                  // no-race alarm(lockset): a destructor is taken to run at any time
}
