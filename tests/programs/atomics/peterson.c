// Peterson's algorithm with sequentially consistent atomics.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants0, wants1, turn;
static int value;

static void *thread0(void *arg) {
    wants0 = 1;
    turn = 1;
    while (wants1 && turn == 1)
        ;
    value++;                                    // no-race alarm(lockset): mutual exclusion by the values of atomics
    wants0 = 0;
    return arg;
}

static void *thread1(void *arg) {
    wants1 = 1;
    turn = 0;
    while (wants0 && turn == 0)
        ;
    value++;                                    // no-race alarm(lockset): mutual exclusion by the values of atomics
    wants1 = 0;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, thread0, NULL);
    pthread_create(&b, NULL, thread1, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
