// pthread_exit in a function called by the start function ends the thread; its result comes with the join.
#include <pthread.h>

static int value;

static void finish(int number) {
    value += number;                            // no-race
    pthread_exit(&value);
}

static void *worker(void *arg) {
    finish(2);
    value = 7;                                  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    value = 1;                                  // no-race
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &result);
    return *(int *)result == 3 ? 0 : 1;         // no-race
}
