// Two threads join one another: glibc refuses the second, which goes on without having waited.
#include <pthread.h>

static pthread_t ids[2];
static pthread_barrier_t created;
static int value;

static void *first(void *arg) {
    pthread_barrier_wait(&created);
    value = 1;                                  // race
    pthread_join(ids[1], NULL);
    return arg;
}

static void *second(void *arg) {
    pthread_barrier_wait(&created);
    pthread_join(ids[0], NULL);
    value = 2;                                  // race
    return arg;
}

int main(void) {
    pthread_barrier_init(&created, NULL, 3);
    pthread_create(&ids[0], NULL, first, NULL);
    pthread_create(&ids[1], NULL, second, NULL);
    pthread_barrier_wait(&created);
    pthread_exit(NULL);
}
