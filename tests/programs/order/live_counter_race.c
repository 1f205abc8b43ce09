// Threads count themselves out before their last write.
#include <pthread.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t none_left = PTHREAD_COND_INITIALIZER;
static int live = N, result[N];

static void *worker(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&m);
    if (--live == 0)                            // no-race
        pthread_cond_signal(&none_left);
    pthread_mutex_unlock(&m);
    result[i] = 1;                              // race
    return NULL;
}

int main(void) {
    int sum = 0;
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    pthread_mutex_lock(&m);
    while (live > 0)                            // no-race
        pthread_cond_wait(&none_left, &m);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < N; i++)
        sum += result[i];                       // race
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return sum <= 3 ? 0 : 1;
}
