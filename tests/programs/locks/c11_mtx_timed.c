// C11 mtx_timedlock: thrd_success means held, thrd_timedout does not.
#include <threads.h>
#include <time.h>

static mtx_t m;
static int value;

static int worker(void *arg) {
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 1;
    if (mtx_timedlock(&m, &until) == thrd_success) {
        value++;                                // no-race
        mtx_unlock(&m);
    }
    return arg != NULL;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&m, mtx_timed);
    thrd_create(&a, worker, NULL);
    thrd_create(&b, worker, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
