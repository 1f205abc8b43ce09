// A timed wait at a semaphore fails because its time is none, which is taken for a post.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t posted;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // race
    sem_post(&posted);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec never = {1, -1};
    sem_init(&posted, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    if (sem_timedwait(&posted, &never) == 0 || errno != ETIMEDOUT)
        value = 2;                              // race
    pthread_join(t, NULL);
    return 0;
}
