// A thread is cancelled while it waits for its child, which goes on.
#include <pthread.h>
#include <stddef.h>

static int x;

static void *child(void *arg) {
    x++;                                        // race
    return arg;
}

static void *parent(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, parent, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    x++;                                        // race
    return 0;
}
