// The last state cannot be reached.
// No character leads from state 3 to state 4.
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
        return c == 'n' ? 1 : 0;
    default:
        return c == '!' ? 5 : 0;
    }
}

static void *first(void *arg) {
    int state = 0;
    for (int i = 0; i < 5; i++)
        state = step(state, __VERIFIER_nondet_char());
    if (state == 5)
        shared = 1;                             // no-race alarm(lockset): data exclude the branch
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
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
