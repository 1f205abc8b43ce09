// A thread that waits for a signal is cancelled: that it has ended does not mean that the signal was sent.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t sent;
static int x;

static void *sender(void *arg) {
    x++;                                        // race
    sem_post(&sent);
    return arg;
}

static void *waiter(void *arg) {
    sem_wait(&sent);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&sent, 0, 0);
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, waiter, NULL);
    pthread_cancel(b);
    pthread_join(b, NULL);
    x++;                                        // race
    return 0;
}
