// The address of a local variable is passed to a thread that is joined before the function returns.
#include <pthread.h>

static void *worker(void *arg) {
    int *p = arg;
    *p = 7;                                     // no-race
    return NULL;
}

static int compute(void) {
    pthread_t t;
    int local = 0;                              // no-race
    pthread_create(&t, NULL, worker, &local);
    pthread_join(t, NULL);
    return local;                               // no-race
}

int main(void) {
    return compute() + compute() == 14 ? 0 : 1;
}
