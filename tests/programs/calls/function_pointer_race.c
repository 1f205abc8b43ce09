// A function pointer called with the lock held by one thread and directly by the other.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void (*hook)(void);

static void up(void) {
    value++;                                    // race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    hook();                                     // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    hook = up;                                  // no-race
    pthread_create(&t, NULL, worker, NULL);
    hook();                                     // no-race
    pthread_join(t, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
