// The consumers look at the first item without taking it out: both work on the same one.
#include <pthread.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item *queue;

static void *consumer(void *arg) {
    pthread_mutex_lock(&m);
    struct item *it = queue;                    // no-race
    pthread_mutex_unlock(&m);
    it->value++;                                // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 3; i++) {
        struct item *it = malloc(sizeof *it);
        it->value = i;                          // no-race
        it->next = queue;                       // no-race
        queue = it;                             // no-race
    }
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return queue->value <= 4 ? 0 : 1;           // no-race
}
