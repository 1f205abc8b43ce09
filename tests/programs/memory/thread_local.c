// __thread and _Thread_local variables: each thread has its own.
#include <pthread.h>

static __thread int counter;
static _Thread_local int buffer[4];

static void *worker(void *arg) {
    for (int i = 0; i < 4; i++) {
        counter++;                              // no-race
        buffer[i] = counter;                    // no-race
    }
    return buffer[3] == 4 ? arg : NULL;         // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    counter = 100;                              // no-race
    buffer[0] = counter;                        // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return counter == 100 ? 0 : 1;              // no-race
}
