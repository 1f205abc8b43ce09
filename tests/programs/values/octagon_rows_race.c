// Rows of three, written in their full length and one more.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int upper, lower;
static int cell[18];

static void fill(int row, int value) {
    for (int k = 0; k <= 3; k++)
        cell[3 * row + k] = value;              // race
}

static void *worker(void *arg) {
    fill(upper, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    upper = __VERIFIER_nondet_int();
    lower = __VERIFIER_nondet_int();
    if (upper < 0 || upper >= lower || lower > 4)
        return 0;
    pthread_create(&t, NULL, worker, NULL);
    fill(lower, 2);
    pthread_join(t, NULL);
    return cell[17] == 0 ? 0 : 1;               // no-race
}
