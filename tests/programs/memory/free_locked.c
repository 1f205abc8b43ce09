// The object is freed under the lock under which the pointer is looked up and used.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *user(void *arg) {
    pthread_mutex_lock(&m);
    if (shared != NULL)                         // no-race
        *shared += 1;                           // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    shared = calloc(1, sizeof *shared);
    pthread_create(&t, NULL, user, NULL);
    pthread_mutex_lock(&m);
    free(shared);                               // no-race
    shared = NULL;                              // no-race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
