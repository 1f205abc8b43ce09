// Inputs say where an array ends and where it is split; the element there belongs to both.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define N 4
static int middle, end;
static int cell[N + 1];

static void *below(void *arg) {
    for (int i = 0; i <= middle; i++)
        cell[i] = 1;                            // race
    return arg;
}

static void *above(void *arg) {
    for (int i = middle; i < end; i++)
        cell[i] = 2;                            // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    end = __VERIFIER_nondet_int();
    middle = __VERIFIER_nondet_int();
    if (end < 1 || end > N || middle < 0 || middle > end)
        return 0;
    pthread_create(&a, NULL, below, NULL);
    pthread_create(&b, NULL, above, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cell[N] <= 1 ? 0 : 1;                // no-race
}
