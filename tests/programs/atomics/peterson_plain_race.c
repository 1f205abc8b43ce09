// Peterson's algorithm with plain variables: everything races.
#include <pthread.h>

static volatile int wants0, wants1, turn;
static int value;

static void *thread0(void *arg) {
    wants0 = 1;                                 // race
    turn = 1;                                   // race
    while (wants1 && turn == 1)                 // race
        ;
    value++;                                    // race
    wants0 = 0;                                 // race
    return arg;
}

static void *thread1(void *arg) {
    wants1 = 1;                                 // race
    turn = 0;                                   // race
    while (wants0 && turn == 0)                 // race
        ;
    value++;                                    // race
    wants1 = 0;                                 // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, thread0, NULL);
    pthread_create(&b, NULL, thread1, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
