// Any number of workers read a table that the first of them makes; some look at it before.
#include <pthread.h>

extern int __VERIFIER_nondet_bool(void);
static pthread_once_t made = PTHREAD_ONCE_INIT;
static int table;

static void make(void) {
    table = 42;                                 // race
}

static void *worker(void *arg) {
    if (table == 0)                             // race
        pthread_once(&made, make);
    return arg;
}

int main(void) {
    for (int i = 0; i < 3 && __VERIFIER_nondet_bool(); i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
    }
    return 0;
}
