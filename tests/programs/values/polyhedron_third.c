// One thread fills up to a third of the size, the other one down to it; the size is an input.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define N 4
static int size;
static int cell[N + 1];

static void *lower(void *arg) {
    for (int i = 0; 3 * i < size; i++)
        cell[i] = 1;                            // no-race alarm(lockset): below a third and from a third on; alarm(explore): not all inputs are tried
    return arg;
}

static void *upper(void *arg) {
    for (int i = N; 3 * i >= size && i >= 0; i--)
        cell[i] = 2;                            // no-race alarm(lockset): below a third and from a third on
    return arg;
}

int main(void) {
    pthread_t a, b;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 3 * N)
        return 0;
    size = n;
    pthread_create(&a, NULL, lower, NULL);
    pthread_create(&b, NULL, upper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cell[N] >= 0 ? 0 : 1;                // no-race
}
