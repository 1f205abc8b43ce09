// Only the thread that main is may count: told by pthread_self and pthread_equal.
#include <pthread.h>

static pthread_t owner;
static int count;

static void work(void) {
    if (pthread_equal(pthread_self(), owner))
        count++;                                // no-race alarm(lockset): which thread it is is not known
}

static void *worker(void *arg) {
    work();
    return arg;
}

int main(void) {
    pthread_t t;
    owner = pthread_self();
    pthread_create(&t, NULL, worker, NULL);
    work();
    pthread_join(t, NULL);
    return count == 1 ? 0 : 1;                  // no-race
}
