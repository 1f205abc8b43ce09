// What a thread was given has a pointer in it that its creator changes behind the creation.
#include <pthread.h>
#include <stdlib.h>

struct given {
    int *place;
};
static int a, b;

static void *work(void *arg) {
    struct given *mine = arg;
    int *found = mine->place; // race
    *found = 1; // race
    return NULL;
}

int main(void) {
    pthread_t t;
    struct given *given = malloc(sizeof *given);
    if (given == NULL)
        return 1;
    given->place = &a;
    pthread_create(&t, NULL, work, given);
    given->place = &b; // race
    b = 2; // race
    pthread_join(t, NULL);
    return 0;
}
