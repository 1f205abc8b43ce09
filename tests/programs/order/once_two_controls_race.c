// Two once-controls for one initialiser: it may run twice, at the same time.
#include <pthread.h>

static pthread_once_t once1 = PTHREAD_ONCE_INIT;
static pthread_once_t once2 = PTHREAD_ONCE_INIT;
static int config;

static void setup(void) {
    config = 42;                                // race
}

static void *first(void *arg) {
    pthread_once(&once1, setup);
    return config ? arg : NULL;                 // race
}

static void *second(void *arg) {
    pthread_once(&once2, setup);
    return config ? arg : NULL;                 // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
