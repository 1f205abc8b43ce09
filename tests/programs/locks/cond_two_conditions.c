// Two conditions with one mutex: a slot is filled and emptied in turn.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int full, slot, sum;

static void *producer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&lock);
        while (full)                            // no-race
            pthread_cond_wait(&emptied, &lock);
        slot = i;                               // no-race
        full = 1;                               // no-race
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&lock);
        while (!full)                           // no-race
            pthread_cond_wait(&filled, &lock);
        sum += slot;                            // no-race
        full = 0;                               // no-race
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(t, NULL);
    return sum == 3 ? 0 : 1;                    // no-race
}
