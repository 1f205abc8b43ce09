// An array in a struct and the field behind it: an index stays within its array.
#include <pthread.h>
#include <stddef.h>

static struct queue {
    unsigned tail;
    int items[16];
    int limit;
} queue = {.limit = 4};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *producer(void *arg) {
    if (queue.limit == 0)                        // no-race
        return NULL;
    pthread_mutex_lock(&m);
    queue.items[queue.tail++ % 16] = 1;          // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, producer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
