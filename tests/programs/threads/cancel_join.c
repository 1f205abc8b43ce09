// A cancelled thread is joined before main reads what it wrote.
#include <pthread.h>
#include <unistd.h>

static int rounds;

static void *worker(void *arg) {
    for (;;) {
        rounds++;                               // no-race
        usleep(100);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    usleep(1000);
    pthread_cancel(t);
    pthread_join(t, NULL);
    return rounds >= 0 ? 0 : 1;                 // no-race alarm(explore): the worker has no end of its own
}
