// The last of three threads does not wait for the second.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn = 1;
static int data;

static void *cut(void *arg) {
    pthread_mutex_lock(&m);
    while (turn != 1)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    data = 4;                                   // no-race alarm(lockset): the token has one holder
    pthread_mutex_lock(&m);
    turn = 2;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *sew(void *arg) {
    pthread_mutex_lock(&m);
    while (turn != 2)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    data = data + 1;                            // race
    pthread_mutex_lock(&m);
    turn = 3;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *iron(void *arg) {
    pthread_mutex_lock(&m);
    while (turn < 2)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    data = data * 2;                            // race
    pthread_mutex_lock(&m);
    turn = 4;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b, d;
    pthread_create(&a, NULL, cut, NULL);
    pthread_create(&b, NULL, sew, NULL);
    pthread_create(&d, NULL, iron, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(d, NULL);
    return data == 10 ? 0 : 1;                  // no-race
}
