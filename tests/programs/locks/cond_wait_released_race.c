// A second lock is still held during the wait, but the one given to the wait is not.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, x, y;

static void *signaller(void *arg) {
    pthread_mutex_lock(&m);
    ready = 1;                                  // no-race
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *waiter(void *arg) {
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&m);
    while (!ready)                              // no-race
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    x++;                                        // no-race
    y++;                                        // race
    pthread_mutex_unlock(&other);
    return arg;
}

static void *late(void *arg) {
    pthread_mutex_lock(&m);
    y++;                                        // race
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&other);
    x++;                                        // no-race
    pthread_mutex_unlock(&other);
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, signaller, NULL);
    pthread_create(&t[2], NULL, late, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return x == 2 ? 0 : 1;                      // no-race
}
