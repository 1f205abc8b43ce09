// Assignment of a whole struct meets a write to one of its fields.
#include <pthread.h>

struct point {
    int x, y, z;
};

static struct point position;

static void *mover(void *arg) {
    struct point next = {1, 2, 3};
    position = next;                            // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, mover, NULL);
    position.y = 5;                             // race
    pthread_join(t, NULL);
    return position.x == 1 ? 0 : 1;             // no-race
}
