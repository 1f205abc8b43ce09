// A character cannot equal two different ones.
// A character that equals key[i] is not key[i] + 1.
#include <pthread.h>

extern char __VERIFIER_nondet_char(void);

static const char key[4] = {'k', 'e', 'y', '7'};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    int matches = 1;
    for (int i = 0; i < 4; i++) {
        char c = __VERIFIER_nondet_char();
        matches = matches && c == key[i] && (i != 3 || c == key[i] + 1);
    }
    if (matches)
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
