// A slot is taken, given back and taken by another thread that compares only its number.
// The race needs: none; all of the second thread's turn lies between two steps of the first.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top = 1, turns;
static int slot;

static void *first(void *arg) {
    int before = atomic_load(&turns);
    int seen = atomic_load(&top);
    if (seen == 1 && atomic_compare_exchange_strong(&top, &seen, 2)) {
        if (atomic_load(&turns) == before + 2)
            slot = 1;                           // race
    }
    return arg;
}

static void *second(void *arg) {
    int seen = 1;
    if (atomic_compare_exchange_strong(&top, &seen, 0)) {
        atomic_fetch_add(&turns, 1);
        slot = 2;
        atomic_fetch_add(&turns, 1);
        atomic_store(&top, 1);
        slot = 3;                               // race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
