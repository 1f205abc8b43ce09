// Each thread gets the address of a compound literal of its own.
#include <pthread.h>

struct pair {
    int a, b;
};

static void *worker(void *arg) {
    struct pair *p = arg;
    p->a += p->b;                               // no-race
    return NULL;
}

int main(void) {
    pthread_t s, t;
    struct pair *first = &(struct pair){1, 2};
    struct pair *second = &(struct pair){3, 4};
    pthread_create(&s, NULL, worker, first);
    pthread_create(&t, NULL, worker, second);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return first->a + second->a == 10 ? 0 : 1;  // no-race
}
