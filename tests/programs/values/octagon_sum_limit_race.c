// Two counters, one for each end of an array; together they may exceed its size by one.
#include <pthread.h>

#define N 3
static struct {
    pthread_mutex_t lock;
    int front, back;
    int cell[N + 1];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *from_front(void *arg) {
    for (int round = 0; round < 2; round++) {
        int at = -1;
        pthread_mutex_lock(&pool.lock);
        if (pool.front + pool.back < N)
            at = pool.front++;
        pthread_mutex_unlock(&pool.lock);
        if (at >= 0)
            pool.cell[at] = 1;                  // race
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, from_front, NULL);
    for (int round = 0; round < 2; round++) {
        int at = -1;
        pthread_mutex_lock(&pool.lock);
        if (pool.front + pool.back <= N)
            at = N - ++pool.back;
        pthread_mutex_unlock(&pool.lock);
        if (at >= 0)
            pool.cell[at] = 2;                  // race
    }
    pthread_join(t, NULL);
    return 0;
}
