// The id is copied through a struct and joined by the copy.
#include <pthread.h>

struct handle {
    pthread_t id;
    int tag;
};

static int value;

static void *worker(void *arg) {
    value = 1;                                  // no-race
    return arg;
}

static struct handle start(void) {
    struct handle h = {.tag = 7};
    pthread_create(&h.id, NULL, worker, NULL);
    return h;
}

int main(void) {
    struct handle h = start();
    pthread_t copy = h.id;
    pthread_join(copy, NULL);
    return value == 1 ? 0 : 1;                  // no-race
}
