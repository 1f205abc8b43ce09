// Assignment of whole structs under a lock.
#include <pthread.h>

struct point {
    int x, y, z;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct point position;

static void *mover(void *arg) {
    struct point next = {1, 2, 3};
    pthread_mutex_lock(&m);
    position = next;                            // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, mover, NULL);
    pthread_mutex_lock(&m);
    struct point copy = position;               // no-race
    pthread_mutex_unlock(&m);
    copy.z++;                                   // no-race
    pthread_join(t, NULL);
    return copy.x <= 1 ? 0 : 1;
}
