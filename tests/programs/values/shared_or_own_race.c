// A function sets what it is given: once the shared variable, else a local one.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state, value;

static void set(int *place) {
    *place = 1;                                 // no-race
}

static void *worker(void *arg) {
    int own = 0;
    (void)arg;
    pthread_mutex_lock(&lock);
    if (state == 5)                             // no-race
        set(&state);
    set(&own);
    if (state == 0)                             // no-race
        value = 2;                              // race
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    state = 0;                                  // no-race
    pthread_mutex_unlock(&lock);
    value = 1;                                  // race
    pthread_join(t, NULL);
    return 0;
}
