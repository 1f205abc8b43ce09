// Create and join in the same loop round: never two threads at once.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // no-race
    return arg;
}

int main(void) {
    for (int i = 0; i < 4; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(t, NULL);
        value++;                                // no-race
    }
    return value == 8 ? 0 : 1;                  // no-race
}
