// C11: the result of a thread is an int, so that what lies behind it stays.
#include <threads.h>

static int value;

static int three(void *arg) {
    (void)arg;
    return 3;
}

static int writer(void *arg) {
    (void)arg;
    value = 2;                                  // race
    return 0;
}

int main(void) {
    thrd_t t, u;
    int told[2] = {0, 7};
    if (thrd_create(&u, writer, NULL) != thrd_success)
        return 2;
    if (thrd_create(&t, three, NULL) == thrd_success) {
        thrd_join(t, &told[0]);
        if (told[1] == 7)
            value = 1;                          // race
    }
    thrd_join(u, NULL);
    return 0;
}
