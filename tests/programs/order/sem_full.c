// A semaphore that is not full takes a post.
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static int value;

static void *poster(void *arg) {
    if (sem_post(&full) != 0)
        value = 1;                              // no-race alarm(lockset): results of posts are not followed
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&full, 0, INT_MAX - 1);
    pthread_create(&t, NULL, poster, NULL);
    value = 2;                                  // no-race alarm(lockset): results of posts are not followed
    pthread_join(t, NULL);
    return 0;
}
