// Adjacent bit-fields, both under one lock.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct {
    unsigned a : 4;
    unsigned b : 4;
} bits;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    bits.a++;                                   // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    bits.b = 2;                                 // no-race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return bits.a + bits.b == 3 ? 0 : 1;        // no-race
}
