// The once-control is on the heap, and cleared by the thread that found it done: others do it again.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lazy {
    pthread_once_t control;
    int used;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void initialise(void) {
    x = 1;                                      // race
}

static void *worker(void *arg) {
    struct lazy *lazy = arg;
    pthread_mutex_lock(&m);
    pthread_once(&lazy->control, initialise);
    memset(lazy, 0, sizeof *lazy);
    pthread_mutex_unlock(&m);
    return x > 0 ? arg : NULL;                  // race
}

int main(void) {
    pthread_t a, b;
    struct lazy *lazy = malloc(sizeof *lazy);
    if (lazy == NULL)
        return 1;
    lazy->control = PTHREAD_ONCE_INIT;
    pthread_create(&a, NULL, worker, lazy);
    pthread_create(&b, NULL, worker, lazy);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
