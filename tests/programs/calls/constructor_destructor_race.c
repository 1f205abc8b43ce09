// A function that runs before main and again at the end makes a new lock each time: the old one excludes nobody then.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *_Atomic lock;
static int x;

__attribute__((constructor, destructor)) static void renew(void) {
    pthread_mutex_t *mine = malloc(sizeof *mine);
    pthread_mutex_init(mine, NULL);
    lock = mine;
    pthread_mutex_lock(mine);
    x++;                                        // race
    pthread_mutex_unlock(mine);
}

static void *worker(void *arg) {
    pthread_mutex_t *found = lock;
    pthread_mutex_lock(found);
    x++;                                        // race
    pthread_mutex_unlock(found);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    return 0;
}
