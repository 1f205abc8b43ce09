// Main uses the once-control before any thread does: nobody runs the initialiser again.
#include <pthread.h>
#include <stddef.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int x;

static void initialise(void) {
    x = x + 1;                                  // no-race
}

static void *first(void *arg) {
    pthread_once(&control, initialise);
    return arg;
}

static void *second(void *arg) {
    return x > 0 ? arg : NULL;                  // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_once(&control, initialise);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
