// Waiters that a broadcast has woken count after they gave the mutex back.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, count;

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    while (!ready)                              // no-race
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    count++;                                    // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;                                  // no-race
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_cond_destroy(&changed);
    return count >= 1 ? 0 : 1;                  // no-race
}
