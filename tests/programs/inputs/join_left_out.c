// The thread is always joined before its result is read.
// A remainder by 13 is at most 12.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int result;

static void *worker(void *arg) {
    result = 1;                                 // no-race alarm(lockset): data exclude the branch
    return arg;
}

int main(void) {
    pthread_t id;
    int x = __VERIFIER_nondet_int();
    int is_hurried = x / 13 == 21 && x % 13 == 13;
    pthread_create(&id, NULL, worker, NULL);
    if (!is_hurried)
        pthread_join(id, NULL);
    int seen = result;                          // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
    if (is_hurried)
        pthread_join(id, NULL);
    return seen;
}
