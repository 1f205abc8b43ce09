// The same without a lock: the pointer races, and so does everything behind it.
#include <pthread.h>
#include <stdlib.h>

struct config {
    int a, b;
};

static struct config *current;

static void *publisher(void *arg) {
    struct config *c = malloc(sizeof *c);
    c->a = 1;                                   // race
    c->b = 2;                                   // race
    current = c;                                // race
    return arg;
}

static void *user(void *arg) {
    struct config *c = current;                 // race
    if (c != NULL && c->a + c->b > 3)           // race
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
