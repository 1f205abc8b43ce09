// The mutex is a local variable of main, its address goes to all threads with the data.
#include <pthread.h>

struct shared {
    pthread_mutex_t *lock;
    int *value;
};

static void *worker(void *arg) {
    struct shared *s = arg;
    pthread_mutex_lock(s->lock);
    *s->value += 1;                             // no-race
    pthread_mutex_unlock(s->lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int value = 0;
    struct shared s = {&m, &value};
    pthread_create(&a, NULL, worker, &s);
    pthread_create(&b, NULL, worker, &s);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
