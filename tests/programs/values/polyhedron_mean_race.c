// Both threads fill the element at the mean of two inputs.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define N 4
static int left, right;
static int cell[N + 1];

static void *lower(void *arg) {
    for (int i = 0; 2 * i <= left + right; i++)
        cell[i] = 1;                            // race
    return arg;
}

static void *upper(void *arg) {
    for (int i = N; 2 * i >= left + right && i >= 0; i--)
        cell[i] = 2;                            // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    left = __VERIFIER_nondet_int();
    right = __VERIFIER_nondet_int();
    if (left < 0 || left > N || right < 0 || right > N)
        return 0;
    pthread_create(&a, NULL, lower, NULL);
    pthread_create(&b, NULL, upper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cell[N] >= 0 ? 0 : 1;                // no-race
}
