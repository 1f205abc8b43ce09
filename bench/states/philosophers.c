/* N philosophers, each of whom eats twice, with two forks: the one with the lower number first. */
#include <pthread.h>
#ifndef N
#define N 4
#endif
static pthread_mutex_t forks[N];
static int used[N];
#ifdef RACY
#define TAKES_BOTH(me) ((me) != 1) /* one eats with one fork only */
#else
#define TAKES_BOTH(me) 1
#endif

static void *philosopher(void *place) {
    int me = (int)((int *)place - used), other = (me + 1) % N;
    int low = me < other ? me : other, high = me < other ? other : me;
    for (int meal = 0; meal < 2; meal++) {
        pthread_mutex_lock(&forks[low]);
        if (TAKES_BOTH(me)) pthread_mutex_lock(&forks[high]);
        used[low]++;
        used[high]++;
        if (TAKES_BOTH(me)) pthread_mutex_unlock(&forks[high]);
        pthread_mutex_unlock(&forks[low]);
    }
    return 0;
}

int main(void) {
    pthread_t ids[N];
    for (int i = 0; i < N; i++) pthread_mutex_init(&forks[i], 0);
    for (int i = 0; i < N; i++) pthread_create(&ids[i], 0, philosopher, &used[i]);
    for (int i = 0; i < N; i++) pthread_join(ids[i], 0);
    return used[0];
}
