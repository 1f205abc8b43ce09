// A thread joins the one that joins it: one of them is refused, and main looks whether it has waited.
#include <pthread.h>

static pthread_t creator;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // no-race alarm(explore): which of them is refused is not tried
    pthread_join(creator, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    creator = pthread_self();
    pthread_create(&t, NULL, worker, NULL);
    if (pthread_join(t, NULL) != 0)
        pthread_exit(NULL);
    value = 2;                                  // no-race
    return 0;
}
