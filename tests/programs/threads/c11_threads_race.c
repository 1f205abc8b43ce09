// C11 thrd_detach: nothing orders main's read behind the thread.
#include <threads.h>

static int output;

static int worker(void *arg) {
    output = 1;                                 // race
    return arg != NULL;
}

int main(void) {
    thrd_t t;
    thrd_create(&t, worker, NULL);
    thrd_detach(t);
    thrd_yield();
    int seen = output;                          // race
    thrd_sleep(&(struct timespec){0, 1000000}, NULL);
    return seen <= 1 ? 0 : 1;
}
