// Counted down from a hundred: the one that comes to 0 does the work, whichever it is.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left = 100;
static int chosen;

static void *worker(void *arg) {
    if (atomic_fetch_sub(&left, 1) == 1)        // no-race
        chosen++;                               // no-race alarm(explore): a hundred threads
    return arg;
}

int main(void) {
    for (int i = 0; i < 100; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    return 0;
}
