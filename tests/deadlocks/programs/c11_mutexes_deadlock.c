// the mutexes of C11, in the same order or in opposite orders: deadlock
#include <threads.h>
static mtx_t a, b;

static int first(void *p) {
    mtx_lock(&a);
    mtx_lock(&b); // deadlock
    mtx_unlock(&b);
    mtx_unlock(&a);
    return p != 0;
}

static int second(void *p) {
    mtx_lock(&b);
    mtx_lock(&a); // deadlock
    mtx_unlock(&a);
    mtx_unlock(&b);
    return p != 0;
}

int main(void) {
    thrd_t t, u;
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_plain);
    thrd_create(&t, first, 0);
    thrd_create(&u, second, 0);
    thrd_join(t, 0);
    thrd_join(u, 0);
    return 0;
}
