// A mode, fixed before the threads start, decides which of two locks protects the data.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t coarse = PTHREAD_MUTEX_INITIALIZER, fine = PTHREAD_MUTEX_INITIALIZER;
static int mode;
static int data;

static void *writer(void *arg) {
    if (mode == 0) {
        pthread_mutex_lock(&coarse);
        data = 1;                               // no-race alarm(lockset): the mode is the same for both; alarm(explore): not all inputs are tried
        pthread_mutex_unlock(&coarse);
    } else {
        pthread_mutex_lock(&fine);
        data = 2;                               // no-race alarm(lockset): the mode is the same for both
        pthread_mutex_unlock(&fine);
    }
    return arg;
}

static void *clearer(void *arg) {
    pthread_mutex_t *lock = mode <= 0 ? &coarse : &fine;
    pthread_mutex_lock(lock);
    data = 0;                                   // no-race alarm(lockset): the mode is the same for both
    pthread_mutex_unlock(lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    mode = __VERIFIER_nondet_int();
    if (mode < 0 || mode > 2)
        return 0;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, clearer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data <= 2 ? 0 : 1;                   // no-race
}
