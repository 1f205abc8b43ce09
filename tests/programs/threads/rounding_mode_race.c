// The floating-point environment is inherited from the thread that creates the others.
#include <fenv.h>
#include <pthread.h>

static int x;

static void *writes(void *p) {
    x = 1; // race
    return p;
}

static void *looks(void *p) {
    if (fegetround() != FE_TONEAREST)
        x = 2; // race
    return p;
}

int main(void) {
    pthread_t a, b;
    fesetround(FE_UPWARD);
    pthread_create(&a, 0, writes, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
