// A timed wait at a semaphore is a cancellation point: the handler runs.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t never;
static int value;

static void cleanup(void *arg) {
    (void)arg;
    value = 1;                                  // race
}

static void *worker(void *arg) {
    struct timespec until = {1, 0};
    pthread_cleanup_push(cleanup, NULL);
    sem_timedwait(&never, &until);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    value = 2;                                  // race
    pthread_join(t, NULL);
    return 0;
}
