// An array of locks beside an array of data: locks[i] protects data[i].
#include <pthread.h>

#define N 2
static pthread_mutex_t locks[N];
static int data[N];

static void *worker(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&locks[i]);
    data[i]++;                                  // no-race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

int main(void) {
    pthread_t t[2 * N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < 2 * N; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i % N));
    for (int i = 0; i < 2 * N; i++)
        pthread_join(t[i], NULL);
    return data[0] + data[1] == 4 ? 0 : 1;      // no-race
}
