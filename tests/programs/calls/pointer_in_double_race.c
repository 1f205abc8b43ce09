// A pointer to a function that was a floating-point number on its way: it may be any function.
#include <pthread.h>
#include <string.h>

static int value;
static double box;

static void change(void) {
    value = 1;                                  // race
}

static void *worker(void *arg) {
    double turned = -box;
    turned = -turned;
    void (*found)(void);
    memcpy(&found, &turned, sizeof found);
    found();
    return arg;
}

int main(void) {
    pthread_t t;
    void (*action)(void) = change;
    memcpy(&box, &action, sizeof action);
    pthread_create(&t, NULL, worker, NULL);
    value = 2;                                  // race
    pthread_join(t, NULL);
    return 0;
}
