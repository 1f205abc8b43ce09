// Threads created in a loop: a start function that races with itself.
#include <pthread.h>

#define N 8
static int sum;

static void *worker(void *arg) {
    sum += (int)(long)arg;                      // race
    return NULL;
}

int main(void) {
    pthread_t ids[N];
    for (long i = 0; i < N; i++)
        pthread_create(&ids[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(ids[i], NULL);
    return sum <= 28 ? 0 : 1;                   // no-race
}
