// A flag with several states: the reader is content with any but zero.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static int data;

static void *producer(void *arg) {
    atomic_store(&state, 1);                    // no-race
    data = 42;                                  // race
    atomic_store(&state, 2);                    // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (atomic_load(&state) == 0)            // no-race
        ;
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
