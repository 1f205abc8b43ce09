// C11 condition variable: cnd_wait in a loop, cnd_broadcast under the lock.
#include <threads.h>

static mtx_t m;
static cnd_t c;
static int turn;

static int second(void *arg) {
    mtx_lock(&m);
    while (turn != 1)                           // no-race
        cnd_wait(&c, &m);
    turn = 2;                                   // no-race
    cnd_broadcast(&c);
    mtx_unlock(&m);
    return arg != NULL;
}

int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&t, second, NULL);
    mtx_lock(&m);
    turn = 1;                                   // no-race
    cnd_broadcast(&c);
    while (turn != 2)                           // no-race
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    thrd_join(t, NULL);
    return 0;
}
