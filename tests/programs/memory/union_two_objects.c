// Two unions of one type are two objects; inside one of them, different bytes.
#include <pthread.h>

static union part {
    int whole;
    unsigned char bytes[4];
} u, v;

static void *worker(void *arg) {
    u.whole = 1;                                // no-race
    v.bytes[0] = 1;                             // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    v.bytes[2] = 7;                             // no-race
    pthread_join(t, NULL);
    return u.whole == 1 ? 0 : 1;                // no-race
}
