// An input decides whether there is work, and whether to lock: one value has work and no lock.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int level;
static int data;

static void *worker(void *arg) {
    if (level > 3)
        pthread_mutex_lock(&m);
    if (level >= 3)
        data++;                                 // race
    if (level > 3)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 6)
        return 0;
    level = n;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data <= 2 ? 0 : 1;                   // no-race
}
