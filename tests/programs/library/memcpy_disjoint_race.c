// memcpy into two halves of one buffer that overlap by a byte.
#include <pthread.h>
#include <string.h>

static char shared[17];

static void *lower(void *arg) {
    memcpy(shared, "012345678", 9);             // race
    return arg;
}

static void *upper(void *arg) {
    memcpy(shared + 8, "89abcdef", 9);          // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, lower, NULL);
    pthread_create(&b, NULL, upper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return memcmp(shared, "0123456789abcdef", 16);  // no-race
}
