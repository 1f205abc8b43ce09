// Five inputs in the right order drive a machine into its last state.
// The race needs: the characters o, p, e, n, !.
#include <pthread.h>

extern char __VERIFIER_nondet_char(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static int step(int state, char c) {
    switch (state) {
    case 0:
        return c == 'o' ? 1 : 0;
    case 1:
        return c == 'p' ? 2 : 0;
    case 2:
        return c == 'e' ? 3 : 0;
    case 3:
        return c == 'n' ? 4 : 0;
    default:
        return c == '!' ? 5 : 0;
    }
}

static void *first(void *arg) {
    int state = 0;
    for (int i = 0; i < 5; i++)
        state = step(state, __VERIFIER_nondet_char());
    if (state == 5)
        shared = 1;                             // race missed(explore): it tries other values
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // race missed(explore): it tries other values
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
