// Two blocks of the same length, one behind the other; start and length are inputs.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static struct {
    int start, length;
} block;
static int cell[12];

static void *first(void *arg) {
    for (int k = 0; k < block.length; k++)
        cell[block.start + k] = 1;              // no-race alarm(lockset): the second block begins where the first ends; alarm(explore): not all inputs are tried
    return arg;
}

static void *second(void *arg) {
    for (int k = 0; k < block.length; k++)
        cell[block.start + block.length + k] = 2; // no-race alarm(lockset): the second block begins where the first ends
    return arg;
}

int main(void) {
    pthread_t a, b;
    int start = __VERIFIER_nondet_int(), length = __VERIFIER_nondet_int();
    if (start < 0 || start > 3 || length < 1 || length > 3)
        return 0;
    block.start = start;
    block.length = length;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cell[11] == 0 ? 0 : 1;               // no-race
}
