// A getter returns the address of a shared variable; one caller writes through it without the lock.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hidden;

static int *counter(void) {
    return &hidden;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    *counter() += 1;                            // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    *counter() += 1;                            // race
    pthread_join(t, NULL);
    return hidden == 2 ? 0 : 1;                 // no-race
}
