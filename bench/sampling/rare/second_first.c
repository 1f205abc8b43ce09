/* The one that was created last has to be first at the lock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready, data;

static void *first(void *unused) {
    (void)unused;
    data = 1; // race
    pthread_mutex_lock(&m);
    int late = ready;
    ready = 1;
    pthread_mutex_unlock(&m);
    if (late) data = 2; // race
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    int late = ready;
    ready = 1;
    pthread_mutex_unlock(&m);
    if (!late) data = 3; // race
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
