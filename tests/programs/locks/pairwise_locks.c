// Three writers hold two of three locks each: no lock is common to all, each pair has one.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *with_ab(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    value = 1;                                  // no-race
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *with_bc(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&c);
    value = 2;                                  // no-race
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&b);
    return arg;
}

static void *with_ac(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&c);
    value = 3;                                  // no-race
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, with_ab, NULL);
    pthread_create(&t[1], NULL, with_bc, NULL);
    pthread_create(&t[2], NULL, with_ac, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return value > 0 ? 0 : 1;
}
