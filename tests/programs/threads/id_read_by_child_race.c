// The new thread reads the variable into which pthread_create stores its id: POSIX promises no order.
#include <pthread.h>

static pthread_t id;
static int same;

static void *worker(void *arg) {
    same = pthread_equal(id, pthread_self());   // race
    return arg;
}

int main(void) {
    pthread_create(&id, NULL, worker, NULL);    // race
    pthread_join(id, NULL);
    return same ? 0 : 1;                        // no-race
}
