// Items move from producer to the single consumer through a queue; each is touched outside the lock.
#include <pthread.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item *queue;

static void *producer(void *arg) {
    for (int i = 0; i < 5; i++) {
        struct item *it = malloc(sizeof *it);
        it->value = i;                          // no-race
        pthread_mutex_lock(&m);
        it->next = queue;                       // no-race
        queue = it;                             // no-race
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int taken = 0, sum = 0;
    pthread_create(&t, NULL, producer, NULL);
    while (taken < 5) {
        pthread_mutex_lock(&m);
        struct item *it = queue;                // no-race
        if (it != NULL)
            queue = it->next;                   // no-race
        pthread_mutex_unlock(&m);
        if (it == NULL)
            continue;
        sum += it->value;                       // no-race
        taken++;
    }
    pthread_join(t, NULL);
    return sum == 10 ? 0 : 1;
}
