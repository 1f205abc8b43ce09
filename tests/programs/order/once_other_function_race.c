// The once-object was done by a call with another function: whoever finds it done has not waited for anything.
#include <pthread.h>
#include <semaphore.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t never;
static int x;

static void nothing(void) {}
static void wait_for_ever(void) { sem_wait(&never); }

static void *worker(void *arg) {
    pthread_once(&once, wait_for_ever);
    x = 2;                                      // race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    pthread_once(&once, nothing);
    pthread_create(&t, NULL, worker, NULL);
    x = 1;                                      // race
    pthread_join(t, NULL);
    return 0;
}
