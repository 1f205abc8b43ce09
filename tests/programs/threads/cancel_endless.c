// A thread that never ends by itself is cancelled and joined, another one is joined before.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t never;
static int x;

static void *endless(void *arg) {
    for (;;)
        sem_wait(&never);
    return arg;
}

static void *worker(void *arg) {
    x++;                                        // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&never, 0, 0);
    pthread_create(&a, NULL, endless, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(b, NULL);
    pthread_cancel(a);
    pthread_join(a, NULL);
    x++;                                        // no-race
    return 0;
}
