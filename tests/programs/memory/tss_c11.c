// C11: thread-specific storage, with a destructor that runs before the join returns.
#include <threads.h>

static tss_t key;
static int ended;

static void destroy(void *value) {
    ended += *(int *)value;                     // no-race alarm(lockset): that destructors run before the join returns is not known
}

static int worker(void *arg) {
    tss_set(key, arg);
    return tss_get(key) == arg ? 0 : 1;
}

int main(void) {
    thrd_t t;
    int weight = 2, result = 1;
    if (tss_create(&key, destroy) != thrd_success || thrd_create(&t, worker, &weight) != thrd_success)
        return 2;
    thrd_join(t, &result);
    tss_delete(key);
    return result == 0 && ended == 2 ? 0 : 1;   // no-race alarm(lockset): that destructors run before the join returns is not known
}
