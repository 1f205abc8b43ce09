// A pool of workers: the end flag is set and tested outside the mutex, the sum is outside too.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int pending, closed, sum;

static void *worker(void *arg) {
    for (;;) {
        int mine = 0;
        pthread_mutex_lock(&m);
        if (pending > 0)                        // no-race
            mine = pending--;                   // no-race
        int last = closed && pending == 0;      // race
        pthread_mutex_unlock(&m);
        if (mine > 0)
            sum += mine;                        // race
        if (last)
            break;
        sched_yield();
    }
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&m);
        pending++;                              // no-race
        pthread_mutex_unlock(&m);
        sched_yield();
    }
    closed = 1;                                 // race
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sum >= 0 ? 0 : 1;                    // no-race
}
