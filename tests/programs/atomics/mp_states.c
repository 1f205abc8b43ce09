// A flag with several states: the reader waits for the one that is set last.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static int data;

static void *producer(void *arg) {
    atomic_store(&state, 1);                    // no-race
    data = 42;                                  // no-race alarm(lockset): ordered by the value of state
    atomic_store(&state, 2);                    // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (atomic_load(&state) != 2)            // no-race
        ;
    int seen = data;                            // no-race alarm(lockset): ordered by the value of state
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
