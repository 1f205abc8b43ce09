// One start function, two threads, two objects: what one touches the other does not.
#include <pthread.h>

struct counter {
    int n;
};

static struct counter first, second;

static void *worker(void *arg) {
    struct counter *c = arg;
    for (int i = 0; i < 5; i++)
        c->n++;                                 // no-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &first);
    pthread_create(&b, NULL, worker, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return first.n + second.n == 10 ? 0 : 1;    // no-race
}
