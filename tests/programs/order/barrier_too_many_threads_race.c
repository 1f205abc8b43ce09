// Four threads at a barrier for two: which two meet is left to chance.
#include <pthread.h>

static pthread_barrier_t barrier;
static int value;

static void *before(void *arg) {
    if (arg != NULL)
        value = 1;                              // race
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *after(void *arg) {
    pthread_barrier_wait(&barrier);
    if (arg != NULL)
        value = 2;                              // race
    return NULL;
}

int main(void) {
    pthread_t t[4];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t[0], NULL, before, NULL);
    pthread_create(&t[1], NULL, after, &value);
    pthread_create(&t[2], NULL, before, &value);
    pthread_create(&t[3], NULL, after, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return value > 0 ? 0 : 1;                   // no-race
}
