// C11: two threads have the same pointer in their thread-specific storage, and the destructors write to it.
#include <threads.h>

static tss_t key;
static int shared;

static void destroy(void *value) {
    ++*(int *)value;                            // race
}

static int worker(void *arg) {
    tss_set(key, arg);
    return 0;
}

int main(void) {
    thrd_t a, b;
    if (tss_create(&key, destroy) != thrd_success)
        return 2;
    if (thrd_create(&a, worker, &shared) != thrd_success || thrd_create(&b, worker, &shared) != thrd_success)
        return 2;
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return shared >= 1 ? 0 : 1;                 // no-race alarm(lockset): that destructors run before the join returns is not known
}
