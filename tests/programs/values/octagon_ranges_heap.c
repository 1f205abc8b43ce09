// Main gives each of two threads a range on the heap; where the one ends, by an input, the other one begins.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct range {
    int from, to, *cells;
};

static int add(struct range *r) {
    int sum = 0;
    for (int i = r->from; i < r->to; i++)
        sum += ++r->cells[i];                   // no-race alarm(lockset): one ends where the other begins; alarm(explore): not all inputs are tried
    return sum;
}

static void *front(void *arg) {
    return add(arg) > 0 ? arg : NULL;
}

static void *back(void *arg) {
    return add(arg) > 0 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 4)
        return 0;
    int *cells = calloc(5, sizeof *cells);
    struct range *one = malloc(sizeof *one), *two = malloc(sizeof *two);
    *one = (struct range){0, n, cells};
    *two = (struct range){n, 5, cells};
    pthread_create(&a, NULL, front, one);
    pthread_create(&b, NULL, back, two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cells[4] == 1 ? 0 : 1;               // no-race
}
