// A barrier for two that turns its sense round; behind it each reads what the other wrote before it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int waiting = 2;
static atomic_int sense;
static int left, right;

static void barrier(int mine) {
    if (atomic_fetch_sub(&waiting, 1) == 1) {
        atomic_store(&waiting, 2);
        atomic_store(&sense, mine);
    } else {
        while (atomic_load(&sense) != mine)
            ;
    }
}

static void *first(void *arg) {
    left = 1;                                   // no-race alarm(lockset): both have come when the sense turns
    barrier(1);
    return right == 2 ? arg : NULL;             // no-race alarm(lockset): both have come when the sense turns
}

static void *second(void *arg) {
    right = 2;                                  // no-race alarm(lockset): both have come when the sense turns
    barrier(1);
    return left == 1 ? arg : NULL;              // no-race alarm(lockset): both have come when the sense turns
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
