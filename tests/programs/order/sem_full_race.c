// A semaphore that is full refuses a post.
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static int value;

static void *poster(void *arg) {
    if (sem_post(&full) != 0)
        value = 1;                              // race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&full, 0, INT_MAX);
    pthread_create(&t, NULL, poster, NULL);
    value = 2;                                  // race
    pthread_join(t, NULL);
    return 0;
}
