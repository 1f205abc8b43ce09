// A barrier is destroyed and made anew for another number of threads.
#include <pthread.h>

static pthread_barrier_t barrier;
static int part[3], total;

static void *worker(void *arg) {
    long i = (long)arg;
    part[i]++;                                  // no-race alarm(lockset): a barrier that is made twice has no known count
    pthread_barrier_wait(&barrier);
    if (i == 0)
        total += part[0] + part[1] + part[2];   // no-race alarm(lockset): a barrier that is made twice has no known count
    return NULL;
}

static void run(long count) {
    pthread_t t[3];
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (long i = 0; i < count; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (long i = 0; i < count; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
}

int main(void) {
    run(1);
    run(2);
    return total == 4 ? 0 : 1;                  // no-race
}
