// A volatile counter: two increments are a race all the same.
#include <pthread.h>

static volatile int counter;

static void *worker(void *arg) {
    for (int i = 0; i < 10; i++)
        counter++;                              // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return counter <= 20 ? 0 : 1;               // no-race
}
