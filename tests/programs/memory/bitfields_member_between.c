// An ordinary member between two bit-fields separates them, and is separate itself.
#include <pthread.h>

static struct {
    unsigned a : 3;
    char c;
    unsigned b : 3;
} bits;

static void *first(void *arg) {
    bits.a = 1;                                 // no-race
    return arg;
}

static void *second(void *arg) {
    bits.b = 2;                                 // no-race
    return arg;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    bits.c = 3;                                 // no-race
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return bits.a + bits.b + bits.c == 6 ? 0 : 1;  // no-race
}
