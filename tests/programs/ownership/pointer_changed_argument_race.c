// A thread got the pointer as it was; main goes on with another one, under the same name.
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
static int cells[3];
static int *buffer;

static void *worker(void *arg) {
    *(int *)arg = 1;                            // race
    return NULL;
}

static void start(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, buffer);
}

static void use(void) {
    buffer[1] = 2;                              // race
}

int main(void) {
    buffer = cells + __VERIFIER_nondet_bool();
    start();
    buffer = cells + __VERIFIER_nondet_bool();
    use();
    return 0;
}
