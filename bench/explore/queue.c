// A bounded queue with one mutex: N threads that put one item each, N that try to take one. (2N)! traces.
#include <pthread.h>

#ifndef N
#define N 3
#endif
#define SIZE 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[SIZE], head, count, taken;

static void *put(void *arg) {
    pthread_mutex_lock(&lock);
    if (count < SIZE) {
        items[(head + count) % SIZE] = (int)(long)arg;
        count++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *take(void *arg) {
    pthread_mutex_lock(&lock);
    if (count > 0) {
        taken += items[head];
        head = (head + 1) % SIZE;
        count--;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t threads[2 * N];
    for (long i = 0; i < N; i++) {
        pthread_create(&threads[2 * i], NULL, put, (void *)(i + 1));
        pthread_create(&threads[2 * i + 1], NULL, take, NULL);
    }
    for (int i = 0; i < 2 * N; i++)
        pthread_join(threads[i], NULL);
    return taken <= N * (N + 1) / 2 ? 0 : 1;
}
