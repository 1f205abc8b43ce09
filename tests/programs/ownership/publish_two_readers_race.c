// Published under a lock, but two users change the object afterwards.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *current;

static void *user(void *arg) {
    int *p = NULL;
    while (p == NULL) {
        pthread_mutex_lock(&m);
        p = current;                            // no-race
        pthread_mutex_unlock(&m);
    }
    *p += 1;                                    // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    int *p = malloc(sizeof *p);
    *p = 1;                                     // no-race
    pthread_mutex_lock(&m);
    current = p;                                // no-race
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return *p > 0 ? 0 : 1;                      // no-race
}
