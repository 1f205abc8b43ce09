// atomic_init is not an atomic access: it must not meet any other.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

static void *worker(void *arg) {
    return atomic_load(&value) ? arg : NULL;    // race
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    atomic_init(&value, 1);                     // race
    pthread_join(t, NULL);
    return 0;
}
