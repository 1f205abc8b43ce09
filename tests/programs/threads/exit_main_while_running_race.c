// main ends with pthread_exit while the others go on; what it does in a clean-up handler races with them.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // race
    return arg;
}

static void last(void *arg) {
    (void)arg;
    value = 5;                                  // race
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    pthread_cleanup_push(last, NULL);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return 0;
}
