// Main counts the phases under the lock; the worker waits for the phase in which a table is finished.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int phase;
static int first, second;

static void next_phase(void) {
    pthread_mutex_lock(&m);
    phase++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}

static void await(int wanted) {
    pthread_mutex_lock(&m);
    while (phase < wanted)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    await(1);
    int sum = first;                            // no-race alarm(lockset): a table is finished before its phase
    await(2);
    sum += second;                              // no-race alarm(lockset): a table is finished before its phase
    return sum == 9 ? arg : NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    first = 4;                                  // no-race alarm(lockset): a table is finished before its phase
    next_phase();
    second = 5;                                 // no-race alarm(lockset): a table is finished before its phase
    next_phase();
    pthread_join(t, NULL);
    return 0;
}
