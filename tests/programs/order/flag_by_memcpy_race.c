// A pointer is published by memcpy under the mutex; what it points to is written after that.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *reader(void *arg) {
    pthread_mutex_lock(&m);
    int *p = shared;                            // no-race
    pthread_mutex_unlock(&m);
    if (p != NULL)
        *p = 1;                                 // race
    return arg;
}

int main(void) {
    pthread_t t;
    int *mine = malloc(sizeof *mine);
    pthread_create(&t, NULL, reader, NULL);
    pthread_mutex_lock(&m);
    memcpy(&shared, &mine, sizeof shared);      // no-race
    pthread_mutex_unlock(&m);
    *mine = 2;                                  // race
    pthread_join(t, NULL);
    return 0;
}
