// The slots of the two threads lie in different halves.
// The first slot is less than 8, the second at least 8.
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

struct job {
    unsigned slot;
    int amount;
};

static int slots[16];

static void *worker(void *arg) {
    const struct job *job = arg;
    slots[job->slot] += job->amount;            // no-race alarm(lockset): an array is one; alarm(explore): not all inputs
    return arg;
}

int main(void) {
    pthread_t a, b;
    unsigned x = __VERIFIER_nondet_uchar();
    unsigned y = __VERIFIER_nondet_uchar();
    if (x < 8 || x > 12 || y < 88 || y > 93)
        return 0;
    struct job one = {x * 3 % 8, 1}, two = {8 + (y + 1) * 2 % 8, 2};
    pthread_create(&a, NULL, worker, &one);
    pthread_create(&b, NULL, worker, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
