// An initialiser guarded by a plain flag instead of pthread_once.
#include <pthread.h>

static int initialised;
static int config;

static void *worker(void *arg) {
    if (!initialised) {                         // race
        config = 42;                            // race
        initialised = 1;                        // race
    }
    return config ? arg : NULL;                 // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return config == 42 ? 0 : 1;                // no-race
}
