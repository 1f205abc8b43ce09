// One of two functions lacks the __VERIFIER_atomic_ prefix.
#include <pthread.h>

static int x;

static void __VERIFIER_atomic_add(int n) {
    x += n;                                     // race
}

static void verifier_atomic_sub(int n) {
    x -= n;                                     // race
}

static void *up(void *arg) {
    __VERIFIER_atomic_add(1);
    return arg;
}

static void *down(void *arg) {
    verifier_atomic_sub(1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, up, NULL);
    pthread_create(&b, NULL, down, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x;                                   // no-race
}
