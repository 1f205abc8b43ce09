// What hangs on one end is linked to what hangs on the other, or the other way round; both have the lock of their pair.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct {
    pthread_mutex_t lock;
    struct node *first, *last;
} ends[2];

static void use(long i, long order) {
    pthread_mutex_lock(&ends[i].lock);
    struct node *from = order ? ends[i].first : ends[i].last;  // no-race
    struct node *to = order ? ends[i].last : ends[i].first;    // no-race
    from->next = to;                                    // no-race
    from->value++;                                      // no-race
    to->value++;                                        // no-race
    pthread_mutex_unlock(&ends[i].lock);
}

static void *worker(void *arg) {
    long i = (long)arg;
    use(i, i);
    use(1 - i, i);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&ends[i].lock, NULL);
        ends[i].first = calloc(1, sizeof(struct node));  // no-race
        ends[i].last = calloc(1, sizeof(struct node));  // no-race
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
