// The address of a local escapes through a global pointer that another thread follows.
#include <pthread.h>

static int *shared;

static void *worker(void *arg) {
    *shared = 1;                                // race
    return arg;
}

int main(void) {
    pthread_t t;
    int local = 0, other = 0;
    shared = &local;                            // no-race
    pthread_create(&t, NULL, worker, NULL);
    other = 5;                                  // no-race
    local = 2;                                  // race
    pthread_join(t, NULL);
    return local + other > 5 ? 0 : 1;           // no-race
}
