// A pointer published with release and loaded with consume: what it points to is there.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data;
static int *_Atomic published;

static void *producer(void *arg) {
    data = 42;                                  // no-race
    atomic_store_explicit(&published, &data, memory_order_release);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int *found, seen = 42;
    pthread_create(&t, NULL, producer, NULL);
    found = atomic_load_explicit(&published, memory_order_consume);  // no-race
    if (found != NULL)
        seen = *found;                          // no-race
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
