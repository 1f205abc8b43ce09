// memcpy into the two halves of one buffer.
#include <pthread.h>
#include <string.h>

static char shared[16];

static void *lower(void *arg) {
    memcpy(shared, "01234567", 8);              // no-race
    return arg;
}

static void *upper(void *arg) {
    memcpy(shared + 8, "89abcdef", 8);          // no-race
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
