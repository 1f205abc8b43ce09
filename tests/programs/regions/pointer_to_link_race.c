// A pointer to the link is moved along the list of another slot.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct node *heads[2];

static void add(long slot, int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;                                   // race
    pthread_mutex_lock(&locks[slot]);
    struct node **at = &heads[slot];
    while (*at != NULL && (*at)->value < value)         // race
        at = &(*at)->next;
    n->next = *at;                                      // race
    *at = n;                                            // race
    pthread_mutex_unlock(&locks[slot]);
}

static void drop(long slot, int value) {
    pthread_mutex_lock(&locks[slot]);
    struct node **at = &heads[1 - slot];
    while (*at != NULL && (*at)->value != value)        // race
        at = &(*at)->next;
    struct node *n = *at;                               // race
    if (n != NULL) {
        *at = n->next;                                  // race
        free(n);                                        // race
    }
    pthread_mutex_unlock(&locks[slot]);
}

static void *worker(void *arg) {
    long slot = (long)arg;
    add(slot, 1);
    add(1 - slot, 2);
    drop(1 - slot, 2);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
