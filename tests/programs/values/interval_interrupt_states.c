// A device is idle, busy or done; the request and the interrupt each work in a state of their own.
#include <pthread.h>

enum { IDLE, BUSY, DONE };
static struct {
    pthread_mutex_t lock;
    int state;
    int count;
} device = {PTHREAD_MUTEX_INITIALIZER, IDLE, 0};

static int state(void) {
    pthread_mutex_lock(&device.lock);
    int seen = device.state;
    pthread_mutex_unlock(&device.lock);
    return seen;
}

static void move_to(int next) {
    pthread_mutex_lock(&device.lock);
    device.state = next;
    pthread_mutex_unlock(&device.lock);
}

static void *request(void *arg) {
    if (state() == IDLE) {
        device.count = 5;                       // no-race alarm(lockset): each has its own states
        move_to(BUSY);
    }
    if (state() == DONE)
        device.count++;                         // no-race alarm(lockset): each has its own states
    return arg;
}

static void *interrupt(void *arg) {
    if (state() == BUSY) {
        device.count--;                         // no-race alarm(lockset): each has its own states
        move_to(DONE);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, request, NULL);
    pthread_create(&b, NULL, interrupt, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
