// More threads than the barrier's count wait at it: the bound of the loop that makes them is a large unsigned number.
#include <pthread.h>

static pthread_barrier_t barrier;
static int data;

static void *extra(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *writer(void *arg) {
    data = 1;                                   // race
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *reader(void *arg) {
    pthread_barrier_wait(&barrier);
    return data ? arg : NULL;                   // race
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&t, NULL, reader, NULL);
    for (unsigned i = 0; i < 0xc0000000u; i += 0x40000000u)
        pthread_create(&t, NULL, extra, NULL);
    pthread_exit(NULL);
}
