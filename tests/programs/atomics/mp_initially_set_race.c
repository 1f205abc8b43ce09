// The flag is not zero at the start: the loop never waits.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag = 1;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    atomic_store(&flag, 1);                     // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (!atomic_load(&flag))                 // no-race
        ;
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
