// Each field of a struct has its own lock; one thread touches both fields under one lock.
#include <pthread.h>

static struct {
    pthread_mutex_t in_lock, out_lock;
    int in, out;
} stats = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void *receiver(void *arg) {
    pthread_mutex_lock(&stats.in_lock);
    stats.in++;                                 // no-race
    stats.out--;                                // race
    pthread_mutex_unlock(&stats.in_lock);
    return arg;
}

static void *sender(void *arg) {
    pthread_mutex_lock(&stats.out_lock);
    stats.out++;                                // race
    pthread_mutex_unlock(&stats.out_lock);
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, receiver, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_create(&c, NULL, sender, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return stats.in == 2 ? 0 : 1;               // no-race
}
