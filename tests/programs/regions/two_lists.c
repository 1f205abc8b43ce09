// Two lists with a lock each; nodes come from one place and go through one function.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
static struct node *list_a, *list_b;

static void use(struct node **list, pthread_mutex_t *lock) {
    struct node *n = malloc(sizeof *n);
    n->value = 1;                                       // no-race
    pthread_mutex_lock(lock);
    n->next = *list;                                    // no-race
    *list = n;                                          // no-race
    for (struct node *p = *list; p != NULL; p = p->next)  // no-race
        p->value++;                                     // no-race
    pthread_mutex_unlock(lock);
}

static void *worker(void *arg) {
    use(&list_a, &lock_a);
    use(&list_b, &lock_b);
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
