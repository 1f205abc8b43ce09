// C11: the signal is given under the mutex, the value written outside.
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static int ready, value;

static int waiter(void *arg) {
    struct timespec deadline = {0, 0};
    (void)arg;
    mtx_lock(&lock);
    while (!ready)                              // no-race
        if (cnd_timedwait(&changed, &lock, &deadline) == thrd_timedout)
            break;
    value++;                                    // race
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    if (thrd_create(&t, waiter, NULL) != thrd_success)
        return 2;
    mtx_lock(&lock);
    ready = 1;                                  // no-race
    cnd_signal(&changed);
    mtx_unlock(&lock);
    value++;                                    // race
    thrd_join(t, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
