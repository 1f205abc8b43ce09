// The word is given back also by who did not get it.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static unsigned word;
static int count;

void __VERIFIER_atomic_test_and_set(unsigned *at, unsigned *old) {
    *old = *at;     // no-race
    *at = 1;        // no-race
}

static void give(void) {
    __VERIFIER_atomic_begin();
    word = 0;       // no-race
    __VERIFIER_atomic_end();
}

static void *worker(void *arg) {
    unsigned old;
    __VERIFIER_atomic_test_and_set(&word, &old);
    if (old == 0)
        count++;    // race
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
