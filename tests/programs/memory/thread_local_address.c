// The address of main's thread-local variable goes to a thread, and main leaves it alone until the join.
#include <pthread.h>

static __thread int counter;

static void *worker(void *arg) {
    int *of_main = arg;
    counter += 5;                               // no-race
    *of_main += 1;                              // no-race
    return NULL;
}

int main(void) {
    pthread_t t;
    counter = 1;                                // no-race
    pthread_create(&t, NULL, worker, &counter);
    pthread_join(t, NULL);
    return counter == 2 ? 0 : 1;                // no-race
}
