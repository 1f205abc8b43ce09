// Indices go through a function that keeps them within bounds that overlap.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int cell[10];

static int clamp(int value, int low, int high) {
    if (value < low)
        return low;
    return value > high ? high : value;
}

static void *reader(void *arg) {
    int at = clamp(__VERIFIER_nondet_int(), 0, 4);
    return cell[at] == 0 ? arg : NULL;          // race
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    cell[clamp(__VERIFIER_nondet_int(), 4, 9)] = 1; // race
    pthread_join(t, NULL);
    return 0;
}
