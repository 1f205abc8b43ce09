// Two consumers take items from a queue: each item belongs to the one that took it out.
#include <pthread.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item *queue;

static void *consumer(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        struct item *it = queue;                // no-race
        if (it != NULL)
            queue = it->next;                   // no-race alarm(lockset): freed only by the thread that unlinked it
        pthread_mutex_unlock(&m);
        if (it == NULL)
            return arg;
        it->value++;                            // no-race alarm(lockset): each item is taken out once
        free(it);                               // no-race alarm(lockset): each item is taken out once
    }
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 6; i++) {
        struct item *it = malloc(sizeof *it);
        it->value = i;                          // no-race
        it->next = queue;                       // no-race
        queue = it;                             // no-race
    }
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return queue == NULL ? 0 : 1;               // no-race
}
