// C11: main looks at the result of a detached thread without waiting for it.
#include <threads.h>

static mtx_t lock;
static int done, value;

static int worker(void *arg) {
    (void)arg;
    mtx_lock(&lock);
    value = 3;                                  // race
    done = 1;                                   // no-race
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    if (thrd_create(&t, worker, NULL) != thrd_success)
        return 2;
    thrd_detach(t);
    mtx_lock(&lock);
    if (done)                                   // no-race
        value++;                                // no-race
    mtx_unlock(&lock);
    return value >= 0 ? 0 : 1;                  // race
}
