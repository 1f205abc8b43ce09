// A thread joins the one that joins it: one of them is refused, and main goes on without having waited.
#include <pthread.h>

static pthread_t creator;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // race missed(explore): which of them is refused is not tried
    pthread_join(creator, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    creator = pthread_self();
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    value = 2;                                  // race missed(explore): see above
    return 0;
}
