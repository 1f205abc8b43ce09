// A lock for each element, and main, which takes the lock of the one that it means.
#include <pthread.h>

#define N 2
static pthread_mutex_t locks[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int cell[N];

static void add(long i) {
    pthread_mutex_lock(&locks[i]);
    cell[i]++;                                  // no-race
    pthread_mutex_unlock(&locks[i]);
}

static void *worker(void *arg) {
    add((long)arg);
    add(1 - (long)arg);
    return arg;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    pthread_mutex_lock(&locks[1]);
    cell[1] = 0;                                // no-race
    pthread_mutex_unlock(&locks[1]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
