// The once-control is on the heap, and made by an assignment before anybody uses it.
#include <pthread.h>
#include <stdlib.h>

struct lazy {
    pthread_once_t control;
    int used;
};

static int x;

static void initialise(void) {
    x = 1;                                      // no-race alarm(lockset): the control is written
}

static void *worker(void *arg) {
    struct lazy *lazy = arg;
    pthread_once(&lazy->control, initialise);
    return x > 0 ? arg : NULL;                  // no-race alarm(lockset): the control is written
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
