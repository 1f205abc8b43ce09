// A lock made of a plain word that changes only in atomic sections: test and set through pointers, any number of threads.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static unsigned word;
static int count;

void __VERIFIER_atomic_test_and_set(unsigned *at, unsigned *old) {
    *old = *at;     // no-race
    *at = 1;        // no-race
}

static void take(void) {
    unsigned old;
    do
        __VERIFIER_atomic_test_and_set(&word, &old);
    while (old == 1);
}

static void give(void) {
    __VERIFIER_atomic_begin();
    word = 0;       // no-race
    __VERIFIER_atomic_end();
}

static void *worker(void *arg) {
    take();
    count++;        // no-race alarm(explore): who waits writes the word in every round, for ever
    give();
    return arg;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        pthread_t id;
        pthread_create(&id, NULL, worker, NULL);
    }
    return 0;
}
