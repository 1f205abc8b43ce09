// A thread-local flag decides about locking and about the access.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __thread int shares;
static int value;

static void enter(void) {
    if (shares)                                 // no-race
        pthread_mutex_lock(&m);
}

static void leave(void) {
    if (shares)                                 // no-race
        pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    shares = arg != NULL;                       // no-race
    enter();
    if (shares)
        value++;                                // no-race
    leave();
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
