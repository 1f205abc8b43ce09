/* A flag that is read in the order of nothing. */
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *first(void *unused) {
    (void)unused;
    data = 42; // race
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    if (atomic_load_explicit(&flag, memory_order_relaxed)) data++; // race
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
