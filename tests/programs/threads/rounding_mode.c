// The floating-point environment belongs to a thread: the others keep the one that they were created with.
#include <fenv.h>
#include <pthread.h>

static int x;

static void *rounds_up(void *p) {
    fesetround(FE_UPWARD);
    feraiseexcept(FE_INVALID);
    x = 1; // no-race alarm(lockset): values decide
    return p;
}

static void *looks(void *p) {
    if (fegetround() != FE_TONEAREST || fetestexcept(FE_INVALID))
        x = 2; // no-race alarm(lockset): values decide
    return p;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, rounds_up, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
