// pthread_mutex_trylock: result kept in a variable and checked before the access.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value, missed;

static void *worker(void *arg) {
    int busy = pthread_mutex_trylock(&m);
    if (!busy) {
        value++;                                // no-race
        pthread_mutex_unlock(&m);
    } else {
        pthread_mutex_lock(&m);
        missed++;                               // no-race
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value + missed == 2 ? 0 : 1;         // no-race
}
