// An atomic structure is read and written as a whole.
#include <pthread.h>
#include <stdatomic.h>

struct point {
    int x, y;
};
static _Atomic struct point point;

static void *worker(void *arg) {
    struct point p = {1, 1};
    atomic_store(&point, p);                    // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    struct point seen;
    pthread_create(&t, NULL, worker, NULL);
    seen = atomic_load_explicit(&point, memory_order_acquire);  // no-race
    pthread_join(t, NULL);
    return seen.x == seen.y ? 0 : 1;
}
