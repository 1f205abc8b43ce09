// What hangs on one end is linked to what hangs on the other, or the other way round; each end has its lock.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock_first = PTHREAD_MUTEX_INITIALIZER, lock_last = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct node *first, *last;
} ends;

static void set_up(void) {
    ends.first = calloc(1, sizeof(struct node));        // no-race
    ends.last = calloc(1, sizeof(struct node));         // no-race
    struct node *from = __VERIFIER_nondet_int() ? ends.first : ends.last;
    struct node *to = __VERIFIER_nondet_int() ? ends.first : ends.last;
    if (from != to)
        from->next = to;                                // no-race
}

static void *use_first(void *arg) {
    pthread_mutex_lock(&lock_first);
    for (struct node *p = ends.first; p != NULL; p = p->next)  // no-race
        p->value++;                                     // race
    pthread_mutex_unlock(&lock_first);
    return arg;
}

static void *use_last(void *arg) {
    pthread_mutex_lock(&lock_last);
    for (struct node *p = ends.last; p != NULL; p = p->next)  // no-race
        p->value++;                                     // race
    pthread_mutex_unlock(&lock_last);
    return arg;
}

int main(void) {
    pthread_t t, u;
    set_up();
    pthread_create(&t, NULL, use_first, NULL);
    pthread_create(&u, NULL, use_last, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
