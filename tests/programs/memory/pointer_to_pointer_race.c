// Two levels of indirection lead to the same variable.
#include <pthread.h>

static int target, decoy;
static int *middle = &decoy;
static int **outer = &middle;

static void *worker(void *arg) {
    **outer = 1;                                // race
    return arg;
}

int main(void) {
    pthread_t t;
    middle = &target;                           // no-race
    pthread_create(&t, NULL, worker, NULL);
    decoy = 2;                                  // no-race alarm(lockset): points-to does not know what was overwritten
    target = 2;                                 // race
    pthread_join(t, NULL);
    return target + decoy > 2 ? 0 : 1;          // no-race
}
