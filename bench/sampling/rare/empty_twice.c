/* Who finds the queue empty twice takes a short cut. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int jobs, bonus;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        jobs++;
        bonus++; // race
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    int empty = 0, some = 0;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&m);
        if (jobs == 0) empty++;
        else jobs--, some++;
        pthread_mutex_unlock(&m);
    }
    if (empty == 2 && some > 0) bonus = 0; // race
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
