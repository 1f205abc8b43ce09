// The counter is set to the number of threads before they are created, and each takes one off.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, result_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t none_left = PTHREAD_COND_INITIALIZER;
static int left, result;

static void *worker(void *arg) {
    pthread_mutex_lock(&result_lock);
    result += 2;                                // no-race alarm(explore): not all inputs are tried
    pthread_mutex_unlock(&result_lock);
    pthread_mutex_lock(&m);
    if (--left == 0)                            // no-race
        pthread_cond_signal(&none_left);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 3)
        return 0;
    left = n;
    for (int i = 0; i < n; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    pthread_mutex_lock(&m);
    while (left > 0)                            // no-race
        pthread_cond_wait(&none_left, &m);
    pthread_mutex_unlock(&m);
    return result > 4;                          // no-race
}
