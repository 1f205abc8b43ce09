// Reading the value of a semaphore is not a wait.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // race
    sem_post(&done);
    return arg;
}

int main(void) {
    pthread_t t;
    int now = -1;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_getvalue(&done, &now);
    if (now == 0)
        value++;                                // race
    pthread_join(t, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
