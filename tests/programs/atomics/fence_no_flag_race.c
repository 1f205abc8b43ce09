// A full fence on both sides, but no flag that carries the order.
#include <pthread.h>

static int data;

static void *writer(void *arg) {
    data = 1;                                   // race
    __sync_synchronize();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    __sync_synchronize();
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen <= 1 ? 0 : 1;
}
