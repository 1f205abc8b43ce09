// Each says that it wants, then looks whether the other one does; if so, it does without.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants_a, wants_b;
static int data;

static void *first(void *arg) {
    atomic_store(&wants_a, 1);
    if (atomic_load(&wants_b) == 0)
        data = 1;                               // no-race alarm(lockset): at most one finds the other without a wish
    atomic_store(&wants_a, 0);
    return arg;
}

static void *second(void *arg) {
    atomic_store(&wants_b, 1);
    if (atomic_load(&wants_a) == 0)
        data = 2;                               // no-race alarm(lockset): at most one finds the other without a wish
    atomic_store(&wants_b, 0);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data <= 2 ? 0 : 1;                   // no-race
}
