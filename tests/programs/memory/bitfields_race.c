// Adjacent bit-fields are one memory location.
#include <pthread.h>

static struct {
    unsigned a : 4;
    unsigned b : 4;
} bits;

static void *worker(void *arg) {
    bits.a = 1;                                 // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    bits.b = 2;                                 // race
    pthread_join(t, NULL);
    return bits.a + bits.b <= 3 ? 0 : 1;        // no-race
}
