// C11: a recursive mutex is held until the last unlock.
#include <threads.h>

static mtx_t lock;
static int value;

static int worker(void *arg) {
    (void)arg;
    mtx_lock(&lock);
    mtx_lock(&lock);
    mtx_unlock(&lock);
    value++;                                    // no-race
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&lock, mtx_plain | mtx_recursive);
    if (thrd_create(&a, worker, NULL) != thrd_success || thrd_create(&b, worker, NULL) != thrd_success)
        return 2;
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    mtx_destroy(&lock);
    return value == 2 ? 0 : 1;                  // no-race
}
