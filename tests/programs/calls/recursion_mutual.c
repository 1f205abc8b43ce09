// Two functions that call each other, one locks, the other unlocks.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int even, odd;

static void do_odd(int n);

static void do_even(int n) {
    pthread_mutex_lock(&m);
    even++;                                     // no-race
    if (n > 0)
        do_odd(n - 1);
    else
        pthread_mutex_unlock(&m);
}

static void do_odd(int n) {
    odd++;                                      // no-race
    pthread_mutex_unlock(&m);
    if (n > 0)
        do_even(n - 1);
}

static void *worker(void *arg) {
    do_even(4);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return even == 6 && odd == 4 ? 0 : 1;       // no-race
}
