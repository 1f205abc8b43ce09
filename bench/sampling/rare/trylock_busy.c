/* What is done when a lock is busy is not protected. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits, missed;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        hits++;
        missed++; // race
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        if (pthread_mutex_trylock(&m) == 0) {
            hits++;
            pthread_mutex_unlock(&m);
        } else {
            missed++; // race
        }
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
