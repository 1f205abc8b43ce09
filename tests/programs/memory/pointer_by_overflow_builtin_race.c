// An address is computed by an addition that tells of overflows.
#include <pthread.h>
#include <stdint.h>

static int numbers[4];

static void *first(void *arg) {
    unsigned long address;
    if (__builtin_uaddl_overflow((unsigned long)numbers, 8, &address)) {
        return NULL;
    }
    *(int *)address = 1;                       // race
    return arg;
}

static void *second(void *arg) {
    numbers[2] = 2;                            // race
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
