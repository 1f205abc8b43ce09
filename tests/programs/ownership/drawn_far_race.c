// Numbers are drawn by steps so large that their multiples wrap: all threads have the same element.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_ulong next;
static int data[4];

static void *worker(void *arg) {
    unsigned long number = atomic_fetch_add(&next, ~0UL / 4 + 1);
    data[number * 4]++;                                 // race
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
