// One of two says too late that it wants.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants_a, wants_b;
static int data;

static void *first(void *arg) {
    atomic_store(&wants_a, 1);
    if (atomic_load(&wants_b) == 0)
        data = 1;                               // race
    atomic_store(&wants_a, 0);
    return arg;
}

static void *second(void *arg) {
    if (atomic_load(&wants_a) == 0) {
        atomic_store(&wants_b, 1);
        data = 2;                               // race
    }
    atomic_store(&wants_b, 0);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data <= 2 ? 0 : 1;                   // no-race
}
