// Look under the read lock, drop it, take the write lock to change: stale, but without a race.
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int level;

static void *worker(void *arg) {
    pthread_rwlock_rdlock(&rw);
    int seen = level;                           // no-race
    pthread_rwlock_unlock(&rw);
    if (seen < 3) {
        pthread_rwlock_wrlock(&rw);
        level = seen + 1;                       // no-race
        pthread_rwlock_unlock(&rw);
    }
    return arg;
}

int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return level <= 3 ? 0 : 1;                  // no-race
}
