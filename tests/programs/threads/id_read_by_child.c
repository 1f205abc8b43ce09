// The new thread reads the variable into which pthread_create stores its id. C11 orders the two (the completion of
// thrd_create comes before the start of the thread), and so does glibc; POSIX alone promises nothing.
#include <pthread.h>

static pthread_t id;
static int same;

static void *worker(void *arg) {
    same = pthread_equal(id, pthread_self());   // no-race
    return arg;
}

int main(void) {
    pthread_create(&id, NULL, worker, NULL);    // no-race
    pthread_join(id, NULL);
    return same ? 0 : 1;                        // no-race
}
