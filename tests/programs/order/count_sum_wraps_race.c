// Main adds so much to the counter that it has read that the sum is negative while a thread still runs.
#include <pthread.h>
#include <stdatomic.h>

static atomic_ulong left;
static int data;

static void *worker(void *arg) {
    data = 1;                                   // race
    atomic_fetch_sub(&left, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    atomic_store(&left, 1);
    pthread_create(&t, NULL, worker, NULL);
    if ((long)(atomic_load(&left) + 0x7fffffffffffffffUL) < 1)
        return data;                            // race
    return 0;
}
