// A weak function that nobody defines is found to be missing, also through a variable.
#include <pthread.h>

extern void hook(void) __attribute__((weak));
static void (*called)(void);
static int value;

static void *worker(void *arg) {
    (void)arg;
    if (called)
        called();
    else
        value = 2;                              // race
    return NULL;
}

int main(void) {
    pthread_t t;
    called = hook;
    pthread_create(&t, NULL, worker, NULL);
    value = 1;                                  // race
    pthread_join(t, NULL);
    return 0;
}
