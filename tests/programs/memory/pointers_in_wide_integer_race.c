// Two pointers to variables in one integer of 128 bits.
#include <pthread.h>
#include <stdint.h>

static int value, other;
static unsigned __int128 both;

static void *first(void *arg) {
    int *found = (int *)(uintptr_t)(both >> 64);
    *found = 1;                                // race
    return arg;
}

static void *second(void *arg) {
    value = 2;                                 // race
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
