// A thread is made again when the first one has ended, and its child, too.
#include <pthread.h>
#include <stddef.h>

static int x;

static void *child(void *arg) {
    return x > 1 ? arg : NULL;                  // no-race
}

static void *parent(void *arg) {
    pthread_t t;
    x++;                                        // no-race
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        pthread_create(&t, NULL, parent, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}
