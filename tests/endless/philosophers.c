/* Three philosophers who take the lower fork first. Racy: one eats with one fork only. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#ifdef ENDLESS
#define ROUNDS for (;;)
#else
#define ROUNDS for (int round = 0; round < 2; round++)
#endif
#ifdef RACY
#define IF_RACY(a, b) a
#else
#define IF_RACY(a, b) b
#endif
static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int used[3];
static void eat(int low, int high, int takes_both) {
    pthread_mutex_lock(&forks[low]);
    if (takes_both) pthread_mutex_lock(&forks[high]);
    used[low] = !used[low];
    used[high] = !used[high];
    if (takes_both) pthread_mutex_unlock(&forks[high]);
    pthread_mutex_unlock(&forks[low]);
}
static void *first(void *unused) {
    ROUNDS eat(0, 1, 1);
    return unused;
}
static void *second(void *unused) {
    ROUNDS eat(1, 2, IF_RACY(0, 1));
    return unused;
}
static void *third(void *unused) {
    ROUNDS eat(0, 2, 1);
    return unused;
}
int main(void) {
    pthread_t ids[3];
    pthread_create(&ids[0], 0, first, 0);
    pthread_create(&ids[1], 0, second, 0);
    pthread_create(&ids[2], 0, third, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    pthread_join(ids[2], 0);
    return 0;
}
