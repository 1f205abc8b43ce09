// A thread made with attributes: stack size, guard, joinable; the join orders as always.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // no-race
    return arg;
}

int main(void) {
    pthread_attr_t attr;
    pthread_t t;
    size_t size = 0;
    int state = -1;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 20);
    pthread_attr_setguardsize(&attr, 4096);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE);
    pthread_attr_getstacksize(&attr, &size);
    pthread_attr_getdetachstate(&attr, &state);
    if (size != 1 << 20 || state != PTHREAD_CREATE_JOINABLE)
        return 2;
    pthread_create(&t, &attr, worker, NULL);
    pthread_attr_destroy(&attr);
    pthread_join(t, NULL);
    return value == 1 ? 0 : 1;                  // no-race
}
