// The pointer is written by a helper that both threads call.
#include <pthread.h>
#include <stdlib.h>

static int a, b;
static int *place;

static void aim(int *at) {
    place = at; // race
}

static void *work(void *arg) {
    aim(&b);
    b = 1; // race
    return arg;
}

int main(void) {
    pthread_t t;
    aim(&a);
    pthread_create(&t, NULL, work, NULL);
    *place = 2; // race
    pthread_join(t, NULL);
    return 0;
}
