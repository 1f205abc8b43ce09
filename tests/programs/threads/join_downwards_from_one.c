// Threads are created from zero and joined from n down to one, in the slot below.
#include <pthread.h>

#define N 2
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sum++;                                      // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void run(int n) {
    pthread_t ids[N + 1];
    for (int i = 0; i < n; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
    for (int i = n; i > 0; i--)
        pthread_join(ids[i - 1], NULL);
}

int main(void) {
    run(N);
    return sum == N ? 0 : 1;                    // no-race
}
