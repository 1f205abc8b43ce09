// Any number of workers read a table that the first of them makes.
#include <pthread.h>

extern int __VERIFIER_nondet_bool(void);
static pthread_once_t made = PTHREAD_ONCE_INIT;
static int table;

static void make(void) {
    table = 42;                                 // no-race
}

static void *worker(void *arg) {
    pthread_once(&made, make);
    return table == 42 ? arg : NULL;            // no-race
}

int main(void) {
    for (int i = 0; i < 3 && __VERIFIER_nondet_bool(); i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
    }
    return 0;
}
