// A __sync increment on one side, a plain read on the other.
#include <pthread.h>

static int counter;

static void *worker(void *arg) {
    __sync_fetch_and_add(&counter, 1);          // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    int seen = counter;                         // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen <= counter ? 0 : 1;             // no-race
}
