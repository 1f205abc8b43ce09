// C11: two once flags for one routine let it run twice.
#include <threads.h>

static once_flag one = ONCE_FLAG_INIT, two = ONCE_FLAG_INIT;
static int calls;

static void make(void) {
    calls++;                                    // race
}

static int first(void *arg) {
    (void)arg;
    call_once(&one, make);
    return 0;
}

static int second(void *arg) {
    (void)arg;
    call_once(&two, make);
    return 0;
}

int main(void) {
    thrd_t a, b;
    if (thrd_create(&a, first, NULL) != thrd_success || thrd_create(&b, second, NULL) != thrd_success)
        return 2;
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return calls >= 1 ? 0 : 1;                  // no-race
}
