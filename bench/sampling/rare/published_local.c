/* A variable of a function that is used while it lives, if at all. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *place;

static void *first(void *unused) {
    (void)unused;
    int mine = 1;
    pthread_mutex_lock(&m);
    place = &mine;
    pthread_mutex_unlock(&m);
    mine++; // race
    pthread_mutex_lock(&m);
    place = NULL;
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    int *seen = place;
    if (seen != NULL) *seen += 1; // race
    pthread_mutex_unlock(&m);
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
