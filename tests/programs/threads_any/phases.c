// Any number of rounds between two threads: in each, one writes before the barrier and the other between two waits.
#include <pthread.h>

static pthread_barrier_t meeting;
static int slot;

static void *writer(void *arg) {
    for (int round = 0; round < 2; round++) {
        slot = round;                           // no-race alarm(lockset): rounds of a loop are not counted
        pthread_barrier_wait(&meeting);
        pthread_barrier_wait(&meeting);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_barrier_init(&meeting, NULL, 2);
    pthread_create(&t, NULL, writer, NULL);
    for (int round = 0; round < 2; round++) {
        pthread_barrier_wait(&meeting);
        sum += slot;                            // no-race alarm(lockset): rounds of a loop are not counted
        pthread_barrier_wait(&meeting);
    }
    return sum == 1 ? 0 : 1;
}
