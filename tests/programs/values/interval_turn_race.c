// The second thread comes as soon as turn is not negative.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;
static int data;

static void *even(void *arg) {
    for (int i = 0; i < 2; i++) {
        while (atomic_load(&turn) != 0)
            ;
        data += 1;                              // race
        atomic_store(&turn, 1);
    }
    return arg;
}

static void *odd(void *arg) {
    for (int i = 0; i < 2; i++) {
        while (atomic_load(&turn) < 0)
            ;
        data += 2;                              // race
        atomic_store(&turn, 0);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, even, NULL);
    pthread_create(&b, NULL, odd, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data == 6 ? 0 : 1;                   // no-race
}
