// Each round joins the thread of the round before: two run at once.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t previous, t;
    pthread_create(&previous, NULL, worker, NULL);
    for (int i = 0; i < 4; i++) {
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(previous, NULL);
        previous = t;
    }
    pthread_join(previous, NULL);
    return value <= 5 ? 0 : 1;                  // no-race alarm(lockset): ids move between variables
}
