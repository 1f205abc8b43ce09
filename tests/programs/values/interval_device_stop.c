// A request enters before it looks whether the device is closing; the device stops when nobody is inside.
#include <pthread.h>
#include <stdatomic.h>

static struct {
    atomic_int inside;
    atomic_int closing;
    int buffer;
} device = {.inside = 1};

static int enter(void) {
    atomic_fetch_add(&device.inside, 1);
    return atomic_load(&device.closing) == 0;
}

static int leave(void) {
    return atomic_fetch_sub(&device.inside, 1) == 1;
}

static void *request(void *arg) {
    if (enter())
        device.buffer = 1;                      // no-race alarm(lockset): stopped only when nobody is inside
    leave();
    return arg;
}

static void *stop(void *arg) {
    atomic_store(&device.closing, 1);
    if (leave())
        device.buffer = 0;                      // no-race alarm(lockset): stopped only when nobody is inside
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, request, NULL);
    pthread_create(&b, NULL, stop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
