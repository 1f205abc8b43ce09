/* Another lock is taken when the first one is busy. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_t *mine = pthread_mutex_trylock(&m) == 0 ? &m : &n;
        if (mine == &n) pthread_mutex_lock(&n);
        total++; // race
        pthread_mutex_unlock(mine);
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        total++; // race
        pthread_mutex_unlock(&m);
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
