// pthread_once: whoever comes first initialises, everyone reads after the call has returned.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int config;

static void setup(void) {
    config = 42;                                // no-race
}

static void *worker(void *arg) {
    pthread_once(&once, setup);
    return config ? arg : NULL;                 // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_once(&once, setup);
    int seen = config;                          // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen == 42 ? 0 : 1;
}
