// A copy of the pointer is kept when the pointer is changed: the two are different ones from then on.
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
static int cells[3];
static int *buffer, *kept;

static void *worker(void *arg) {
    *buffer = 1;                                // race
    return arg;
}

static void keep(void) {
    kept = buffer;
}

static void use(void) {
    kept[1] = 2;                                // race
}

int main(void) {
    pthread_t t;
    buffer = cells + __VERIFIER_nondet_bool();
    keep();
    buffer = cells + __VERIFIER_nondet_bool();
    pthread_create(&t, NULL, worker, NULL);
    use();
    return 0;
}
