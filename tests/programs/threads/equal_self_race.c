// Every thread but main counts, and there are two of them.
#include <pthread.h>

static pthread_t owner;
static int count;

static void work(void) {
    if (!pthread_equal(pthread_self(), owner))
        count++;                                // race
}

static void *worker(void *arg) {
    work();
    return arg;
}

int main(void) {
    pthread_t a, b;
    owner = pthread_self();
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    work();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count >= 1 ? 0 : 1;                  // no-race
}
