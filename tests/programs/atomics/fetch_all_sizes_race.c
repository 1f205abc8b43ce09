// A plain access to one byte of an atomic of eight.
#include <pthread.h>
#include <stdatomic.h>

static union {
    atomic_ullong large;
    unsigned char bytes[8];
} both;

static void *worker(void *arg) {
    atomic_fetch_add_explicit(&both.large, 256, memory_order_seq_cst);  // race
    return arg;
}

int main(void) {
    pthread_t t;
    unsigned char seen;
    pthread_create(&t, NULL, worker, NULL);
    seen = both.bytes[7];                       // race
    pthread_join(t, NULL);
    return seen;
}
