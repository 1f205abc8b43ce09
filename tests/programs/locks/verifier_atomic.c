// Blocks between __VERIFIER_atomic_begin and __VERIFIER_atomic_end exclude one another.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, y;

static void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    x++;                                        // no-race
    y--;                                        // no-race
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    __VERIFIER_atomic_begin();
    int sum = x + y;                            // no-race
    __VERIFIER_atomic_end();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum;
}
