// Threads created in a loop, one mutex, joined in a loop; main reads afterwards without the mutex.
#include <pthread.h>

#define N 8
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sum += (int)(long)arg;                      // no-race
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t ids[N];
    for (long i = 0; i < N; i++)
        pthread_create(&ids[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(ids[i], NULL);
    return sum == 28 ? 0 : 1;                   // no-race
}
