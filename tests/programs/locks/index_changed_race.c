// The index changes between taking the lock and touching the data.
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int data[2];

static void *worker(void *arg) {
    long i = (long)arg, locked = i;
    pthread_mutex_lock(&locks[i]);
    if (i == 1)
        i = 0;
    data[i]++;                                  // race
    pthread_mutex_unlock(&locks[locked]);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data[0] <= 2 ? 0 : 1;                // no-race
}
