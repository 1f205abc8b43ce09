// A callee compares many numbers, and the caller one of them.
#include <pthread.h>

static long start;
static int hits;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void demand_little(long a) {
    if (a >= 10)
        pthread_exit(NULL);
}

static void *worker(void *arg) {
    long u = start;                                     // no-race
    demand_little(u);
    demand_little(u);
    demand_little(u);
    demand_little(u);
    demand_little(u);
    demand_little(u);
    if (u < 10) {
        pthread_mutex_lock(&m);
        hits++;                                         // no-race
        pthread_mutex_unlock(&m);
    } else {
        hits++;                                         // no-race
    }
    return arg;
}

int main(void) {
    pthread_t t, u;
    start = 5;                                   // no-race
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
