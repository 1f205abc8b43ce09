// A spin lock with __sync_lock_test_and_set and __sync_lock_release.
#include <pthread.h>

static int busy;
static int value;

static void *worker(void *arg) {
    while (__sync_lock_test_and_set(&busy, 1))  // no-race
        ;
    value++;                                    // no-race
    __sync_lock_release(&busy);                 // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
