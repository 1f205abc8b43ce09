// A spin lock by exchange that main opens although it does not hold it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy;
static int value;

static void *worker(void *arg) {
    for (int i = 0; i < 100; i++) {
        while (atomic_exchange(&busy, 1))       // no-race
            ;
        value++;                                // race
        atomic_store(&busy, 0);                 // no-race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    for (int i = 0; i < 100; i++)
        atomic_store(&busy, 0);                 // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 200 ? 0 : 1;                // no-race
}
