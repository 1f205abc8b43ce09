// A word is read in an atomic section that a function ends and begins again before the word is written: two may find 0.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int taken;
static int total;

static void let_others(void) {
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
}

static int try_lock(void) {
    __VERIFIER_atomic_begin();
    int before = taken;
    let_others();
    taken = 1;
    __VERIFIER_atomic_end();
    return before == 0;
}

static void *worker(void *arg) {
    if (try_lock()) {
        total++;                                // race
        __VERIFIER_atomic_begin();
        taken = 0;
        __VERIFIER_atomic_end();
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
