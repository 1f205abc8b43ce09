// Two threads, one joined: what the joined one wrote may be read, the other has its own variable.
#include <pthread.h>

static int x, y;

static void *writes_x(void *arg) {
    x = 1;                                      // no-race
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
    pthread_join(a, NULL);
    int seen = x;                               // no-race
    pthread_join(b, NULL);
    return seen + y == 2 ? 0 : 1;               // no-race
}
