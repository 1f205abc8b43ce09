// A thread-local pointer to a shared object: the pointer is private, the object is not.
#include <pthread.h>

static int shared;
static __thread int *cursor;

static void *worker(void *arg) {
    cursor = &shared;                           // no-race
    *cursor += 1;                               // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared <= 2 ? 0 : 1;                 // no-race
}
