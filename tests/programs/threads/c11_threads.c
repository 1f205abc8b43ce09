// C11 thrd_create, thrd_join with result, thrd_exit.
#include <threads.h>

static int input = 20, output;

static int worker(void *arg) {
    output = *(int *)arg + 1;                   // no-race
    thrd_exit(5);
}

int main(void) {
    thrd_t t;
    int result = 0;
    input++;                                    // no-race
    thrd_create(&t, worker, &input);
    thrd_join(t, &result);
    return output == 22 && result == 5 ? 0 : 1; // no-race
}
