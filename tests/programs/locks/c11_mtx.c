// C11 mutexes: plain, recursive, and mtx_trylock compared with thrd_success.
#include <threads.h>

static mtx_t plain, again;
static int value, depth;

static int worker(void *arg) {
    mtx_lock(&plain);
    value++;                                    // no-race
    mtx_unlock(&plain);
    if (mtx_trylock(&plain) == thrd_success) {
        value++;                                // no-race
        mtx_unlock(&plain);
    }
    mtx_lock(&again);
    mtx_lock(&again);
    mtx_unlock(&again);
    depth++;                                    // no-race
    mtx_unlock(&again);
    return arg != NULL;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&plain, mtx_plain);
    mtx_init(&again, mtx_plain | mtx_recursive);
    thrd_create(&a, worker, NULL);
    thrd_create(&b, worker, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return value >= 2 && depth == 2 ? 0 : 1;    // no-race
}
