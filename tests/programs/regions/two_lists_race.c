// Two lists with a lock each; one thread takes the lock of the other list.
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
    n->value = 1;                                       // race
    pthread_mutex_lock(lock);
    n->next = *list;                                    // race
    *list = n;                                          // race
    for (struct node *p = *list; p != NULL; p = p->next)  // race
        p->value++;                                     // race
    pthread_mutex_unlock(lock);
}

static void *worker(void *arg) {
    use(&list_a, &lock_a);
    use(&list_b, arg ? &lock_a : &lock_b);
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
