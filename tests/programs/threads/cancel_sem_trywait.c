// sem_trywait and sched_yield are no cancellation points: the handler does not run.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static sem_t never;
static int value;

static void cleanup(void *arg) {
    (void)arg;
    value = 1;                                  // no-race alarm(lockset): where a thread may be cancelled is not followed
}

static void *worker(void *arg) {
    pthread_cleanup_push(cleanup, NULL);
    sem_trywait(&never);
    sched_yield();
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    value = 2;                                  // no-race alarm(lockset): see above
    pthread_join(t, NULL);
    return 0;
}
