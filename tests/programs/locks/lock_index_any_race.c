// The lock is chosen by the thread's own index, the data is common: instances hold different locks.
#include <pthread.h>

#define N 3
static pthread_mutex_t locks[N];
static int total;

static void *worker(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&locks[i]);
    total += (int)i;                            // race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return total == 3 ? 0 : 1;                  // no-race
}
