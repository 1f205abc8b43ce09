// A ticket lock: draw a number, wait until it is served.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next_ticket, now_serving;
static int value;

static void *worker(void *arg) {
    unsigned mine = atomic_fetch_add(&next_ticket, 1);  // no-race
    while (atomic_load(&now_serving) != mine)   // no-race
        ;
    value++;                                    // no-race
    atomic_store(&now_serving, mine + 1);       // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
