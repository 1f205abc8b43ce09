// pthread_cancel only asks: the thread may still write while main reads.
#include <pthread.h>
#include <unistd.h>

static int rounds;

static void *worker(void *arg) {
    for (;;) {
        rounds++;                               // race
        usleep(100);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    usleep(1000);
    pthread_cancel(t);
    int seen = rounds;                          // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
