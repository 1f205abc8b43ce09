// Two threads read the variable into which both their ids are stored: the second creation may come while the first reads.
#include <pthread.h>

static pthread_t id;

static void *worker(void *arg) {
    *(int *)arg = pthread_equal(id, pthread_self()); // race
    return arg;
}

int main(void) {
    int same[2];
    pthread_t first;
    pthread_create(&id, NULL, worker, &same[0]); // no-race
    first = id;                                  // no-race
    pthread_create(&id, NULL, worker, &same[1]); // race
    pthread_join(first, NULL);
    pthread_join(id, NULL);
    return same[0] + same[1];
}
