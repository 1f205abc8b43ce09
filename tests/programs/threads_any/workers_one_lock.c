// Any number of workers, detached, under one lock.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *arg) {
    pthread_detach(pthread_self());
    pthread_mutex_lock(&m);
    done++;                                     // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    done = -argc;                               // no-race
    for (int i = 0; i <= argc; i++)
        pthread_create(&t, NULL, worker, argv);
    pthread_mutex_lock(&m);
    int seen = done;                            // no-race
    pthread_mutex_unlock(&m);
    (void)seen;
    return 0;
}
