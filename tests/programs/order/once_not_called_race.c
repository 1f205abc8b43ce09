// One thread reads what the initialiser writes without calling pthread_once first.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int config;

static void setup(void) {
    config = 42;                                // race
}

static void *worker(void *arg) {
    pthread_once(&once, setup);
    return config ? arg : NULL;                 // no-race
}

static void *careless(void *arg) {
    return config ? arg : NULL;                 // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, careless, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
