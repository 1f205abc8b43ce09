// pthread_create itself is called through a pointer.
#include <pthread.h>

typedef int (*spawner)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static spawner spawn = pthread_create;
static int value;

static void *worker(void *arg) {
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t;
    spawn(&t, NULL, worker, NULL);
    value++;                                    // race
    pthread_join(t, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
