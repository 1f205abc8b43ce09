// A global flag, set from the input before the threads start and then constant, guards lock, access and unlock.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int enabled;
static int value;

static void *worker(void *arg) {
    if (enabled)                                // no-race
        pthread_mutex_lock(&m);
    if (enabled)
        value++;                                // no-race
    if (enabled)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    enabled = argc > 1;                         // no-race
    pthread_create(&a, NULL, worker, argv);
    pthread_create(&b, NULL, worker, argv);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
