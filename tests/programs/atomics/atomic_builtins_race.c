// An __atomic store meets a plain write of the same variable.
#include <pthread.h>

static int state;

static void *worker(void *arg) {
    __atomic_store_n(&state, 1, __ATOMIC_SEQ_CST);  // race
    return arg;
}

int main(void) {
    pthread_t t;
    state = 0;                                  // no-race
    pthread_create(&t, NULL, worker, NULL);
    state = 2;                                  // race
    pthread_join(t, NULL);
    return state > 0 ? 0 : 1;                   // no-race
}
