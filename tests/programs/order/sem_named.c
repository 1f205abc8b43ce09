// A named semaphore as a signal.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t *done;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // no-race alarm(lockset): a named semaphore is not followed
    sem_post(done);                             // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_unlink("/raceproof-test-named");
    done = sem_open("/raceproof-test-named", O_CREAT, 0600, 0);  // no-race
    if (done == SEM_FAILED)
        return 0;
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(done);                             // no-race
    value++;                                    // no-race alarm(lockset): a named semaphore is not followed
    pthread_join(t, NULL);
    sem_close(done);
    sem_unlink("/raceproof-test-named");
    return value == 2 ? 0 : 1;                  // no-race
}
