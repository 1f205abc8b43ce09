// Two threads, the wrong one is joined before the read.
#include <pthread.h>

static int x, y;

static void *writes_x(void *arg) {
    x = 1;                                      // race
    return arg;
}

static void *writes_y(void *arg) {
    y = 1;                                      // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writes_x, NULL);
    pthread_create(&b, NULL, writes_y, NULL);
    pthread_join(b, NULL);
    int seen = x;                               // race
    pthread_join(a, NULL);
    return seen + y >= 1 ? 0 : 1;               // no-race
}
