// An object on the heap with its lock, its owner's number and data that only the owner touches, without the lock.
#include <pthread.h>
#include <stdlib.h>

struct box {
    pthread_mutex_t lock;
    int owner;
    int content;
};

static int is_mine(struct box *b, int me) {
    pthread_mutex_lock(&b->lock);
    int owner = b->owner;
    pthread_mutex_unlock(&b->lock);
    return owner == me;
}

static void give(struct box *b, int other) {
    pthread_mutex_lock(&b->lock);
    b->owner = other;
    pthread_mutex_unlock(&b->lock);
}

static void *sender(void *arg) {
    struct box *b = arg;
    if (is_mine(b, 1)) {
        b->content = 11;                        // no-race alarm(lockset): one owner at a time
        give(b, 2);
    }
    return NULL;
}

static void *receiver(void *arg) {
    struct box *b = arg;
    if (is_mine(b, 2)) {
        b->content++;                           // no-race alarm(lockset): one owner at a time
        give(b, 1);
    }
    return NULL;
}

int main(void) {
    pthread_t s, r;
    struct box *b = malloc(sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    b->owner = 1;
    pthread_create(&s, NULL, sender, b);
    pthread_create(&r, NULL, receiver, b);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    free(b);
    return 0;
}
