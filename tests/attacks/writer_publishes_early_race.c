// An object is filled in when it can be found already.
#include <pthread.h>
#include <stdlib.h>

struct object {
    int number;
};
static struct object *_Atomic place;

static void *work(void *arg) {
    struct object *found = place;
    if (found != NULL)
        found->number++; // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    struct object *made = malloc(sizeof *made);
    if (made == NULL)
        return 1;
    place = made;
    place->number = 1; // race
    pthread_join(t, NULL);
    return 0;
}
