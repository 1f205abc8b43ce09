// A zero-width bit-field puts its neighbours into different memory locations.
#include <pthread.h>

static struct {
    unsigned a : 4;
    unsigned : 0;
    unsigned b : 4;
} bits;

static void *worker(void *arg) {
    bits.a = 1;                                 // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    bits.b = 2;                                 // no-race
    pthread_join(t, NULL);
    return bits.a + bits.b == 3 ? 0 : 1;        // no-race
}
