// The thread writes the variable in which pthread_join stores its result: the join comes behind the write.
#include <pthread.h>

static void *result;

static void *worker(void *arg) {
    result = arg;                       // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &result);           // no-race
    return result == NULL ? 0 : 1;      // no-race
}
