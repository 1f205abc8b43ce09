/* A ring of three without a look at whether it is full. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ring[3], put, got;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        int at = put % 3;
        pthread_mutex_unlock(&m);
        ring[at] = i; // race
        pthread_mutex_lock(&m);
        put++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        int has = got < put, at = got % 3;
        if (has) got++;
        pthread_mutex_unlock(&m);
        if (has && ring[at] > 100) abort(); // race
    }
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
