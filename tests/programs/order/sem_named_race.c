// A named semaphore that starts with one orders nothing.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t *done;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // race
    sem_post(done);                             // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_unlink("/raceproof-test-named-race");
    done = sem_open("/raceproof-test-named-race", O_CREAT, 0600, 1);  // no-race
    if (done == SEM_FAILED)
        return 0;
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(done);                             // no-race
    value++;                                    // race
    pthread_join(t, NULL);
    sem_close(done);
    sem_unlink("/raceproof-test-named-race");
    return value >= 1 ? 0 : 1;                  // no-race
}
