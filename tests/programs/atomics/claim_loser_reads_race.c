// The winner of the compare-and-swap writes, the loser reads at once.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int claimed;
static int result;

static void *worker(void *arg) {
    int nobody = 0;
    if (atomic_compare_exchange_strong(&claimed, &nobody, 1))  // no-race
        result = 5;                             // race
    else if (result > 5)                        // race
        arg = NULL;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return result == 5 ? 0 : 1;                 // no-race
}
