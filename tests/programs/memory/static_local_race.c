// A static local variable is one object for all threads.
#include <pthread.h>

static int next_id(void) {
    static int last;
    return ++last;                              // race
}

static void *worker(void *arg) {
    return next_id() > 0 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
