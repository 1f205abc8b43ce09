// A barrier that was made anew for one thread lets each of two pass alone.
#include <pthread.h>

static pthread_barrier_t barrier;
static int part[2], total;

static void *worker(void *arg) {
    long i = (long)arg;
    part[i]++;                                  // race
    pthread_barrier_wait(&barrier);
    if (i == 0)
        total += part[0] + part[1];             // race
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, NULL, 1);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return total >= 1 ? 0 : 1;                  // no-race
}
