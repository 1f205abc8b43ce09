// The result object is also kept in a global, and another thread writes it.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *last;

static void *worker(void *arg) {
    int *r = malloc(sizeof *r);
    *r = 1;                                     // no-race
    pthread_mutex_lock(&m);
    last = r;                                   // no-race
    pthread_mutex_unlock(&m);
    return r;
}

static void *meddler(void *arg) {
    pthread_mutex_lock(&m);
    if (last != NULL)                           // no-race
        *last = 2;                              // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    void *p;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, meddler, NULL);
    pthread_join(a, &p);
    int seen = *(int *)p;                       // race
    pthread_join(b, NULL);
    return seen > 0 ? 0 : 1;
}
