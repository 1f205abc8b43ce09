// C11: a timed lock whose deadline has passed may not be held.
#include <threads.h>
#include <time.h>

static mtx_t lock;
static int value;

static int worker(void *arg) {
    struct timespec deadline = {0, 0};
    int got = mtx_timedlock(&lock, &deadline);
    (void)arg;
    value++;                                    // race
    if (got == thrd_success)
        mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&lock, mtx_timed);
    if (thrd_create(&a, worker, NULL) != thrd_success || thrd_create(&b, worker, NULL) != thrd_success)
        return 2;
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
