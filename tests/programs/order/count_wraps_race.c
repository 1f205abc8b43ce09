// Main waits until a counter is not positive any more; so it is when a helper has added too much.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left;
static int data;

static void *helper(void *arg) {
    atomic_fetch_add(&left, 0x7fffffff);
    return arg;
}

static void *worker(void *arg) {
    data = 1;                                   // race
    atomic_fetch_sub(&left, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    atomic_store(&left, 1);
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&t, NULL, helper, NULL);
    while (atomic_load(&left) > 0)
        ;
    return data;                                // race
}
