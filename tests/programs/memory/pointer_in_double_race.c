// A pointer that was a floating-point number on its way: nobody can say where it points, so it may point anywhere.
#include <pthread.h>
#include <string.h>

static int value;
static double box;

static void *worker(void *arg) {
    double turned = -box;
    turned = -turned;
    int *found;
    memcpy(&found, &turned, sizeof found);
    *found = 1;                                 // race
    return arg;
}

int main(void) {
    pthread_t t;
    int *place = &value;
    memcpy(&box, &place, sizeof place);
    pthread_create(&t, NULL, worker, NULL);
    value = 2;                                  // race
    pthread_join(t, NULL);
    return 0;
}
