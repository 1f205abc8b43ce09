// pthread_mutex_timedlock may give up, and the access goes on regardless.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *patient(void *arg) {
    pthread_mutex_lock(&m);
    for (int i = 0; i < 100; i++)
        value++;                                // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *hasty(void *arg) {
    struct timespec until = {0, 0};
    int r = pthread_mutex_timedlock(&m, &until);
    value++;                                    // race
    if (r == 0)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, patient, NULL);
    pthread_create(&b, NULL, hasty, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 101 ? 0 : 1;                // no-race
}
