// sem_timedwait: the data is read only on the branch where the wait succeeded.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // no-race
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until;
    int seen = 42;
    sem_init(&ready, 0, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_create(&t, NULL, producer, NULL);
    if (sem_timedwait(&ready, &until) == 0)
        seen = data;                            // no-race
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
