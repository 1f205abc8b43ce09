// A spin lock by a load and then a store: two threads may both find it free.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int value;

static void *worker(void *arg) {
    for (int i = 0; i < 100; i++) {
        while (atomic_load(&owner))             // no-race
            ;
        atomic_store(&owner, 1);                // no-race
        value++;                                // race
        atomic_store(&owner, 0);                // no-race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 200 ? 0 : 1;                // no-race
}
