// One variable has had the ids of two threads: joining it is no join of the first.
#include <pthread.h>
#include <stdlib.h>

static pthread_t id;
static int x;

static void *first(void *arg) {
    x = 1; // race
    return arg;
}

static void *second(void *arg) {
    return id ? arg : NULL; // no-race
}

int main(void) {
    pthread_create(&id, NULL, first, NULL); // no-race
    pthread_create(&id, NULL, second, NULL); // no-race
    pthread_join(id, NULL);
    return x; // race
}
