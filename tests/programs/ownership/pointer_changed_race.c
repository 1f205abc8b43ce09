// The threads got elements of one array; main goes on with another one, under the same name.
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
static int cells[4];
static int *buffer;

static void *worker(void *arg) {
    *(int *)arg = 1;                            // race
    return NULL;
}

static void start(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++)
        pthread_create(&t, NULL, worker, &buffer[i]);
}

static void use(void) {
    buffer[2] = 2;                              // race
}

int main(void) {
    buffer = cells + __VERIFIER_nondet_bool();
    start();
    buffer = cells + __VERIFIER_nondet_bool();
    use();
    return 0;
}
