// Main writes the element at the limit, a thread only elements below it; limit and index are inputs.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int limit;
static int cell[8];

static int is_below(int index) {
    return index >= 0 && index < limit;
}

static void *writer(void *arg) {
    int at = __VERIFIER_nondet_int();
    if (is_below(at))
        cell[at] = 1;                           // no-race alarm(lockset): below the limit is not at the limit; alarm(explore): not all inputs are tried
    return arg;
}

int main(void) {
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 6)
        return 0;
    limit = n;
    pthread_create(&t, NULL, writer, NULL);
    cell[n] = -1;                               // no-race alarm(lockset): below the limit is not at the limit
    pthread_join(t, NULL);
    return 0;
}
