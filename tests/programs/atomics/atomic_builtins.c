// GCC __atomic builtins on plain variables, every access through them.
#include <pthread.h>

static int state;
static long sum;

static void *worker(void *arg) {
    __atomic_store_n(&state, 1, __ATOMIC_RELEASE);  // no-race
    __atomic_fetch_add(&sum, 5, __ATOMIC_RELAXED);  // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    int seen = __atomic_load_n(&state, __ATOMIC_ACQUIRE);  // no-race
    long old = __atomic_exchange_n(&sum, 0, __ATOMIC_SEQ_CST);  // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen <= 1 && old + sum == 10 ? 0 : 1;  // no-race
}
