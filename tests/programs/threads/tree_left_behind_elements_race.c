// A thread gives an element to each of its children; it is made again while those of the first one still run.
#include <pthread.h>
#include <stddef.h>

static int x[2];

static void *child(void *arg) {
    int *own = arg;
    *own = *own + 1;                            // race
    return NULL;
}

static void *parent(void *arg) {
    pthread_t t;
    for (int i = 0; i < 2; i++)
        pthread_create(&t, NULL, child, &x[i]);
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
