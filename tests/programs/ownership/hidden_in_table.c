// New objects are stored in a table that only main has, then given to one thread each.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *reader(void *arg) {
    pthread_mutex_lock(&m);
    if (shared != NULL)                         // no-race
        *shared = 2;                            // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *worker(void *arg) {
    *(int *)arg = 3;                            // no-race
    return NULL;
}

int main(void) {
    int *mine[2];
    pthread_t first, t;
    pthread_create(&first, NULL, reader, NULL);
    for (int i = 0; i < 2; i++) {
        int *p = malloc(sizeof *p);
        mine[i] = p;
        *p = 1;                                 // no-race
        pthread_create(&t, NULL, worker, p);
    }
    return 0;
}
