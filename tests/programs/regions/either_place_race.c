// A place is cleared that is in a list or is another list, under the lock of that one.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    void *data;
    struct node *next;
};

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
static void *list_a, *list_b;

static void *new_list(void) {
    struct node *first = NULL;
    for (int i = 0; i < 2; i++) {
        struct node *n = calloc(1, sizeof *n);
        n->next = first;                                // no-race
        first = n;
    }
    return first;
}

static void *clear(void *arg) {
    pthread_mutex_lock(&lock_b);
    struct node *n = list_b;                            // no-race
    pthread_mutex_unlock(&lock_b);
    void **place = __VERIFIER_nondet_int() ? &n->data : &list_a;
    pthread_mutex_lock(&lock_a);
    *place = NULL;                                      // race
    pthread_mutex_unlock(&lock_a);
    return arg;
}

static void *use(void *arg) {
    pthread_mutex_lock(&lock_b);
    for (struct node *p = list_b; p != NULL; p = p->next)  // no-race
        p->data = NULL;                                 // race
    pthread_mutex_unlock(&lock_b);
    return arg;
}

int main(void) {
    pthread_t t, u;
    list_a = new_list();
    list_b = new_list();
    pthread_create(&t, NULL, clear, NULL);
    pthread_create(&u, NULL, use, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
