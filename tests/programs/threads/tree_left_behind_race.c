// A thread is made again while a child of the first one still runs, which was not joined.
#include <pthread.h>
#include <stddef.h>

static int x;

static void *child(void *arg) {
    return x > 1 ? arg : NULL;                  // race
}

static void *parent(void *arg) {
    pthread_t t;
    x++;                                        // race
    pthread_create(&t, NULL, child, NULL);
    pthread_detach(t);
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
