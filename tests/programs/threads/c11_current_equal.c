// C11: a thread knows its own id, and the result of thrd_exit comes with the join.
#include <threads.h>

static thrd_t maker;
static int value;

static int worker(void *arg) {
    (void)arg;
    if (thrd_equal(thrd_current(), maker))      // no-race
        return 1;
    value = 4;                                  // no-race
    thrd_exit(value);                           // no-race
}

int main(void) {
    thrd_t t;
    int result = 0;
    maker = thrd_current();                     // no-race
    if (thrd_create(&t, worker, NULL) != thrd_success)
        return 2;
    thrd_yield();
    thrd_join(t, &result);
    return result == value ? 0 : 1;             // no-race
}
