// Any number of workers, detached, under one lock; main looks without it.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *arg) {
    pthread_detach(pthread_self());
    pthread_mutex_lock(&m);
    done++;                                     // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    done = -argc;                               // no-race
    for (int i = 0; i <= argc; i++)
        pthread_create(&t, NULL, worker, argv);
    int seen = done;                            // race
    (void)seen;
    return 0;
}
