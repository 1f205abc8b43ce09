// Main ends by pthread_exit while the others go on; it touches the data only before they start.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    value++;                                    // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    value = 1;                                  // no-race
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
    }
    pthread_exit(NULL);
}
