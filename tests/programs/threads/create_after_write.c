// A write between two creates is ordered before the second thread; the first does not read it.
#include <pthread.h>

static int early, late;

static void *first(void *arg) {
    return early ? arg : NULL;                  // no-race
}

static void *second(void *arg) {
    return early + late ? arg : NULL;           // no-race
}

int main(void) {
    pthread_t a, b;
    early = 1;                                  // no-race
    pthread_create(&a, NULL, first, NULL);
    late = 1;                                   // no-race
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
