// Two pointers to variables in one integer of 128 bits; what they point to is under one lock.
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value, other;
static unsigned __int128 both;

static void *first(void *arg) {
    int *found = (int *)(uintptr_t)(both >> 64);
    pthread_mutex_lock(&m);
    *found = 1;                                // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    value = 2;                                 // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    both = (unsigned __int128)(uintptr_t)&value << 64 | (uintptr_t)&other;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
