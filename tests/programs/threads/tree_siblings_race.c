// Grandchildren of different parents meet.
#include <pthread.h>

static int total;

static void *grandchild(void *arg) {
    total++;                                    // race
    return arg;
}

static void *child(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, grandchild, NULL);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, child, NULL);
    pthread_create(&b, NULL, child, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return total <= 2 ? 0 : 1;                  // no-race
}
