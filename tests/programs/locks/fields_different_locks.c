// Each field of a struct has its own lock.
#include <pthread.h>

static struct {
    pthread_mutex_t in_lock, out_lock;
    int in, out;
} stats = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void *receiver(void *arg) {
    pthread_mutex_lock(&stats.in_lock);
    stats.in++;                                 // no-race
    pthread_mutex_unlock(&stats.in_lock);
    return arg;
}

static void *sender(void *arg) {
    pthread_mutex_lock(&stats.out_lock);
    stats.out++;                                // no-race
    pthread_mutex_unlock(&stats.out_lock);
    return arg;
}

int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 2 ? receiver : sender, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return stats.in == 2 && stats.out == 2 ? 0 : 1;  // no-race
}
