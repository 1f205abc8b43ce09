// A relaxed flag tells that the value has been read, and orders nothing. Nobody waits for the thread that sets the flag:
// the first execution may end before it does.
#include <pthread.h>
#include <stdatomic.h>

static int value, copy;
static atomic_int read_it;

static void *reader(void *arg) {
    copy = value;                                                   // race
    atomic_store_explicit(&read_it, 1, memory_order_relaxed);
    return arg;
}

static void *writer(void *arg) {
    if (atomic_load_explicit(&read_it, memory_order_relaxed))
        value = 2;                                                  // race
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(second, NULL);
    return 0;
}
