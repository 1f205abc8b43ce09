// Where the bytes are split stands right before them.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define N 5
static struct {
    int middle;
    char bytes[N];
} box;

static void *below(void *arg) {
    for (int i = 0; i < box.middle; i++)        // no-race
        box.bytes[i] = 1;                       // no-race alarm(lockset): below and from the middle on; alarm(explore): not all inputs are tried
    return arg;
}

static void *above(void *arg) {
    for (int i = box.middle; i < N; i++)        // no-race
        box.bytes[i] = 2;                       // no-race alarm(lockset): below and from the middle on
    return arg;
}

int main(void) {
    pthread_t a, b;
    int n = __VERIFIER_nondet_int();
    box.middle = n < 0 ? 0 : n > N ? N : n;
    pthread_create(&a, NULL, below, NULL);
    pthread_create(&b, NULL, above, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
