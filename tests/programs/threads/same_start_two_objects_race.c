// One start function, two threads, and by mistake the same object.
#include <pthread.h>

struct counter {
    int n;
};

static struct counter first, second;

static void *worker(void *arg) {
    struct counter *c = arg;
    for (int i = 0; i < 5; i++)
        c->n++;                                 // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &first);
    pthread_create(&b, NULL, worker, &first);
    second.n = 1;                               // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return first.n + second.n <= 11 ? 0 : 1;    // no-race
}
