// A local variable is shared with a thread while the function goes on using it.
#include <pthread.h>

static void *worker(void *arg) {
    int *p = arg;
    *p = 7;                                     // race
    return NULL;
}

static int compute(void) {
    pthread_t t;
    int local = 0;                              // no-race
    pthread_create(&t, NULL, worker, &local);
    local++;                                    // race
    pthread_join(t, NULL);
    return local;                               // no-race
}

int main(void) {
    return compute() > 0 ? 0 : 1;
}
