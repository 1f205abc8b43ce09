// A thread leaves its child running: joining the parent says nothing about the child.
#include <pthread.h>
#include <unistd.h>

static int data;

static void *child(void *arg) {
    data = 1;                                   // race
    return arg;
}

static void *parent(void *arg) {
    pthread_t c;
    pthread_create(&c, NULL, child, NULL);
    pthread_detach(c);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, parent, NULL);
    pthread_join(t, NULL);
    int seen = data;                            // race
    usleep(1000);
    return seen <= 1 ? 0 : 1;
}
