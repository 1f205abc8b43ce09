// Two threads meet at a barrier, but a third one comes there as well, and takes the place of one of them.
#include <pthread.h>

static pthread_barrier_t meeting;
static int slot;

static void *writer(void *arg) {
    slot = 1;                                   // race
    pthread_barrier_wait(&meeting);
    return arg;
}

static void *passer_by(void *arg) {
    pthread_barrier_wait(&meeting);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&meeting, NULL, 2);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, passer_by, NULL);
    pthread_barrier_wait(&meeting);
    return slot;                                // race
}
