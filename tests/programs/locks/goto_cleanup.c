// The goto cleanup pattern: each label releases exactly what was taken.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done, failed;

static void *worker(void *arg) {
    char *buffer = malloc(16);
    if (buffer == NULL)
        goto out;
    pthread_mutex_lock(&m);
    if (arg == NULL) {
        failed++;                               // no-race
        goto unlock;
    }
    done++;                                     // no-race
unlock:
    pthread_mutex_unlock(&m);
    free(buffer);
out:
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
    return done + failed == 3 ? 0 : 1;          // no-race
}
