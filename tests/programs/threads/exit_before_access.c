// A helper ends the thread by pthread_exit: the access behind the call never happens.
#include <pthread.h>

static int value;

static void finish(void *result) {
    pthread_exit(result);
}

static void *worker(void *arg) {
    finish(arg);
    value = 1;                                  // no-race
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    value = 2;                                  // no-race
    pthread_join(t, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
