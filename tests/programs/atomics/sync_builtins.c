// GCC __sync builtins on a plain int.
#include <pthread.h>

static int counter, highest;

static void *worker(void *arg) {
    int n = __sync_add_and_fetch(&counter, 1);  // no-race
    __sync_bool_compare_and_swap(&highest, n - 1, n);  // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    int seen = __sync_fetch_and_add(&counter, 0);  // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen <= counter ? 0 : 1;             // no-race
}
