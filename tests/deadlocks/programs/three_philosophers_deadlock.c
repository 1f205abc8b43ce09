// three threads, three forks; the last one takes the smaller number first, or not: deadlock
#include <pthread.h>

static pthread_mutex_t fork0 = PTHREAD_MUTEX_INITIALIZER, fork1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t fork2 = PTHREAD_MUTEX_INITIALIZER;

static void eat(pthread_mutex_t *left, pthread_mutex_t *right) {
    pthread_mutex_lock(left);
    pthread_mutex_lock(right); // deadlock
    pthread_mutex_unlock(right);
    pthread_mutex_unlock(left);
}

static void *one(void *p) {
    eat(&fork0, &fork1);
    return p;
}

static void *two(void *p) {
    eat(&fork1, &fork2);
    return p;
}

static void *three(void *p) {
    eat(&fork2, &fork0);
    return p;
}

int main(void) {
    pthread_t t, u, v;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    pthread_create(&v, 0, three, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    return 0;
}
