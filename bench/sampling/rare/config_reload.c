/* A reload in the middle of a request. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int generation, config[2];

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&m);
        int before = generation;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        int after = generation;
        pthread_mutex_unlock(&m);
        if (before != after) config[1]++; // race
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    usleep(3000);
    pthread_mutex_lock(&m);
    generation++;
    pthread_mutex_unlock(&m);
    config[1] = 5; // race
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
