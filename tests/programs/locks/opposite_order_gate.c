// Two locks in opposite order behind a gate lock: the order of taking does not matter for races.
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t q = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *forward(void *arg) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&p);
    pthread_mutex_lock(&q);
    pthread_mutex_unlock(&gate);
    x++;                                        // no-race
    pthread_mutex_unlock(&p);
    y++;                                        // no-race
    pthread_mutex_unlock(&q);
    return arg;
}

static void *backward(void *arg) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&q);
    pthread_mutex_lock(&p);
    pthread_mutex_unlock(&gate);
    y--;                                        // no-race
    pthread_mutex_unlock(&q);
    x--;                                        // no-race
    pthread_mutex_unlock(&p);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, forward, NULL);
    pthread_create(&b, NULL, backward, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x + y;
}
