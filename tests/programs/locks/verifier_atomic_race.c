// An atomic block does not exclude code outside of such blocks.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x;

static void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    x++;                                        // race
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, worker, NULL);
    int seen = x;                               // race
    pthread_join(a, NULL);
    return seen <= 1 ? 0 : 1;
}
