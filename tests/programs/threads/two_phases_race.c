// The second phase starts before the first was joined.
#include <pthread.h>

static int value;

static void *first(void *arg) {
    value += 1;                                 // race
    return arg;
}

static void *second(void *arg) {
    value *= 2;                                 // race
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
