// Functions named __VERIFIER_atomic_* run as one step; they share one lock with atomic blocks.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x;

static void __VERIFIER_atomic_add(int n) {
    x += n;                                     // no-race
}

static void *worker(void *arg) {
    __VERIFIER_atomic_add(1);
    return arg;
}

static void *block(void *arg) {
    __VERIFIER_atomic_begin();
    x--;                                        // no-race
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&c, NULL, block, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return x == 1 ? 0 : 1;                      // no-race
}
