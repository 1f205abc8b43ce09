// Cancelled while it waits for a semaphore that nobody posts, a thread never reaches the access behind it.
#include <pthread.h>
#include <semaphore.h>

static sem_t never;
static int value;

static void *worker(void *arg) {
    sem_wait(&never);
    value++;                                    // no-race alarm(lockset): that the wait does not return is not known
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    value++;                                    // no-race alarm(lockset): that the wait does not return is not known
    pthread_join(t, NULL);
    return value == 1 ? 0 : 1;                  // no-race
}
