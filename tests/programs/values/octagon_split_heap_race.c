// The input says where an array is split; it is on the heap, and the second one's pointer leads one element back.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define N 4
static int middle;
static int *cells, *later;

static void *below(void *arg) {
    for (int i = 0; i < middle; i++)
        cells[i] = 1;                           // race
    return arg;
}

static void *above(void *arg) {
    for (int i = middle; i < N; i++)
        later[i] = 2;                           // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > N)
        return 0;
    middle = n;
    cells = (int *)calloc(N + 2, sizeof *cells) + 1;
    later = cells - 1;
    pthread_create(&a, NULL, below, NULL);
    pthread_create(&b, NULL, above, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cells[N] == 0 ? 0 : 1;               // no-race
}
