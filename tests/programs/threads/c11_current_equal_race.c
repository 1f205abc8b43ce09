// C11: the id of the maker is written after the thread was made.
#include <threads.h>

static thrd_t maker;
static int value;

static int worker(void *arg) {
    (void)arg;
    if (thrd_equal(thrd_current(), maker))      // race
        return 1;
    value = 4;                                  // no-race
    thrd_exit(value);                           // no-race
}

int main(void) {
    thrd_t t;
    int result = 0;
    if (thrd_create(&t, worker, NULL) != thrd_success)
        return 2;
    maker = thrd_current();                     // race
    thrd_yield();
    thrd_join(t, &result);
    return result == value ? 0 : 1;             // no-race
}
