// The goto jumps past the lock to a label where shared data is changed.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done, finished;

static void *worker(void *arg) {
    char *buffer = malloc(16);
    int locked = 0;
    if (buffer == NULL || arg == NULL)
        goto out;
    pthread_mutex_lock(&m);
    locked = 1;
    done++;                                     // no-race
out:
    finished++;                                 // race
    if (locked)
        pthread_mutex_unlock(&m);
    free(buffer);
    return NULL;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, worker, &m);
    pthread_create(&b, NULL, worker, &m);
    pthread_create(&c, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return done == 2 ? 0 : 1;                   // no-race
}
