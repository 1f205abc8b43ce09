// C11: a detached thread hands its result over under a mutex.
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int done, value;

static int worker(void *arg) {
    (void)arg;
    mtx_lock(&lock);
    value = 3;                                  // no-race
    done = 1;                                   // no-race
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    if (thrd_create(&t, worker, NULL) != thrd_success)
        return 2;
    thrd_detach(t);
    mtx_lock(&lock);
    while (!done)                               // no-race
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    return value == 3 ? 0 : 1;                  // no-race
}
