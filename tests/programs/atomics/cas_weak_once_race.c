// Who takes the flag goes away, and the other one counts. But a weak compare-exchange may fail for no reason: then both
// count.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int count;

static void *either(void *arg) {
    int free = 0;
    if (atomic_compare_exchange_weak(&taken, &free, 1))
        return arg;
    count++;                                    // race missed(explore): it does not fail for no reason; missed(bmc): the same
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, either, NULL);
    pthread_create(&b, NULL, either, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count;                               // no-race
}
