// The outer locks differ, the inner one is common.
#include <pthread.h>

static pthread_mutex_t outer1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t outer2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *first(void *arg) {
    pthread_mutex_lock(&outer1);
    pthread_mutex_lock(&inner);
    value++;                                    // no-race
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer1);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&outer2);
    pthread_mutex_lock(&inner);
    value--;                                    // no-race
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value;
}
