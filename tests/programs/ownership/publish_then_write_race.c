// The publisher keeps its pointer and writes once more after the publication.
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
    c->b = 3;                                   // race
    return arg;
}

static void *user(void *arg) {
    pthread_mutex_lock(&m);
    struct config *c = current;                 // no-race
    pthread_mutex_unlock(&m);
    if (c == NULL)
        return arg;
    int a = c->a;                               // no-race
    int b = c->b;                               // race
    return a + b ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, publisher, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
