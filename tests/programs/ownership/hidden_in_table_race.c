// New objects are stored in a table that only main has; another thread gets one from there.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *reader(void *arg) {
    pthread_mutex_lock(&m);
    if (shared != NULL)                         // no-race
        *shared = 2;                            // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *worker(void *arg) {
    *(int *)arg = 3;                            // race
    return NULL;
}

int main(void) {
    int *mine[2];
    pthread_t first, t;
    pthread_create(&first, NULL, reader, NULL);
    for (int i = 0; i < 2; i++) {
        int *p = malloc(sizeof *p);
        mine[i] = p;
        pthread_mutex_lock(&m);
        shared = mine[0];                       // no-race
        pthread_mutex_unlock(&m);
        *p = 1;                                 // race
        pthread_create(&t, NULL, worker, p);
    }
    return 0;
}
