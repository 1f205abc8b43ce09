// A request looks whether the device is closing, and enters after that.
#include <pthread.h>
#include <stdatomic.h>

static struct {
    atomic_int inside;
    atomic_int closing;
    int buffer;
} device = {.inside = 1};

static int enter(void) {
    int open = atomic_load(&device.closing) == 0;
    atomic_fetch_add(&device.inside, 1);
    return open;
}

static int leave(void) {
    return atomic_fetch_sub(&device.inside, 1) == 1;
}

static void *request(void *arg) {
    if (enter())
        device.buffer = 1;                      // race
    leave();
    return arg;
}

static void *stop(void *arg) {
    atomic_store(&device.closing, 1);
    if (leave())
        device.buffer = 0;                      // race
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
