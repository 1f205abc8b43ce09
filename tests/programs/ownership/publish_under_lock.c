// An object is filled while private, published under a lock, found under the lock, and then only read.
#include <pthread.h>
#include <stdlib.h>

struct config {
    int a, b;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct config *current;

static void *publisher(void *arg) {
    struct config *c = malloc(sizeof *c);
    c->a = 1;                                   // no-race
    c->b = 2;                                   // no-race
    pthread_mutex_lock(&m);
    current = c;                                // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *user(void *arg) {
    pthread_mutex_lock(&m);
    struct config *c = current;                 // no-race
    pthread_mutex_unlock(&m);
    if (c != NULL && c->a + c->b != 3)          // no-race
        abort();
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, publisher, NULL);
    pthread_create(&t[1], NULL, user, NULL);
    pthread_create(&t[2], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
