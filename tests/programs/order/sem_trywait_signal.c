// A signal that is looked for once: what it stands for is read only if it was there.
#include <errno.h>
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
    int seen = 1;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    if (sem_trywait(&done) == 0)
        seen = value;                           // no-race
    else if (errno != EAGAIN)
        seen = 0;
    pthread_join(t, NULL);
    return seen == 1 ? 0 : 1;
}
