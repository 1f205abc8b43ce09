// Two members of one union overlap.
#include <pthread.h>

static union {
    int whole;
    unsigned char bytes[4];
} u;

static void *worker(void *arg) {
    u.whole = 1;                                // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    u.bytes[2] = 7;                             // race
    pthread_join(t, NULL);
    return u.whole != 0 ? 0 : 1;                // no-race
}
