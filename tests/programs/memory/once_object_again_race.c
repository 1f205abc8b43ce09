// An object with a lock is made by an initialiser; the once-control is set back, so that there are two of them.
#include <pthread.h>
#include <stdlib.h>

struct lock {
    pthread_mutex_t m;
};

static pthread_once_t control = PTHREAD_ONCE_INIT;
static const pthread_once_t unused = PTHREAD_ONCE_INIT;
static struct lock *current;
static int x;

static void initialise(void) {
    current = malloc(sizeof *current);
    pthread_mutex_init(&current->m, NULL);
}

static void *worker(void *arg) {
    struct lock *own = arg;
    pthread_mutex_lock(&own->m);
    x++;                                        // race
    pthread_mutex_unlock(&own->m);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_once(&control, initialise);
    pthread_create(&a, NULL, worker, current);
    control = unused;
    pthread_once(&control, initialise);
    pthread_create(&b, NULL, worker, current);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
