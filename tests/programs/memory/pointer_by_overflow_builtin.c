// An address is computed by an addition that tells of overflows; used under one lock.
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int numbers[4];

static void *first(void *arg) {
    unsigned long address;
    if (__builtin_uaddl_overflow((unsigned long)numbers, 8, &address)) {
        return NULL;
    }
    pthread_mutex_lock(&m);
    *(int *)address = 1;                       // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    numbers[2] = 2;                            // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
