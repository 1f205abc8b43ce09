// Threads made by a loop whose unsigned counter leaves the range of signed ones: more of them than the barrier counts.
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static int value;

static void *waiter(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *user(void *arg) {
    pthread_barrier_wait(&barrier);
    value++;                                            // race
    return arg;
}

int main(void) {
    pthread_t t[2], u;
    int made = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    for (unsigned i = INT_MAX; i < INT_MAX + 2u; i++)
        pthread_create(&t[made++], NULL, waiter, NULL);
    pthread_create(&u, NULL, user, NULL);
    value++;                                            // race
    pthread_barrier_wait(&barrier);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(u, NULL);
    return 0;
}
