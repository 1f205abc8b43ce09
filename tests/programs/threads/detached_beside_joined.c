// One thread is detached, another one joined: that join orders.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // no-race
    return arg;
}

static void *other(void *arg) {
    pthread_detach(pthread_self());
    return arg;
}

static void *third(void *arg) { return arg; }

int main(void) {
    pthread_attr_t attr;
    pthread_t t, u, v;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&u, NULL, other, NULL);
    pthread_create(&v, &attr, third, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return value >= 0 ? 0 : 1;                  // no-race
}
