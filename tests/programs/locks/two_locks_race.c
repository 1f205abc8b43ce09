// Both sides hold a lock, but not the same one.
#include <pthread.h>

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m2 = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *first(void *arg) {
    pthread_mutex_lock(&m1);
    value = 1;                                  // race
    pthread_mutex_unlock(&m1);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m2);
    value = 2;                                  // race
    pthread_mutex_unlock(&m2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value > 0 ? 0 : 1;                   // no-race
}
