// The claim is given back before the result is written: there may be a second winner.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int claimed;
static int result;

static void *worker(void *arg) {
    int nobody = 0;
    if (atomic_compare_exchange_strong(&claimed, &nobody, 1)) {  // no-race
        atomic_store(&claimed, 0);              // no-race
        result = (int)(long)arg;                // race
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return result > 0 ? 0 : 1;                  // no-race
}
