// C11 call_once initialises a mutex and the data behind it.
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static mtx_t m;
static int limit, used;

static void setup(void) {
    mtx_init(&m, mtx_plain);
    limit = 3;                                  // no-race
}

static int worker(void *arg) {
    call_once(&once, setup);
    mtx_lock(&m);
    if (used < limit)                           // no-race
        used++;                                 // no-race
    mtx_unlock(&m);
    return arg != NULL;
}

int main(void) {
    thrd_t a, b;
    thrd_create(&a, worker, NULL);
    thrd_create(&b, worker, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return used == 2 ? 0 : 1;                   // no-race
}
