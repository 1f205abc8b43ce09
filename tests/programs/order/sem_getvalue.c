// The value of a semaphore tells nothing about order; the wait behind it does.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // no-race
    sem_post(&done);
    return arg;
}

int main(void) {
    pthread_t t;
    int before = -1, after = -1;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_getvalue(&done, &before);
    sem_wait(&done);
    sem_getvalue(&done, &after);
    value++;                                    // no-race
    pthread_join(t, NULL);
    sem_destroy(&done);
    return after == 0 && before <= 1 && value == 2 ? 0 : 1;  // no-race
}
