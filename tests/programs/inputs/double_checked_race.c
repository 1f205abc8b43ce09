// For one input the second look is not taken, and what is in use is written again.
// The race needs: x = 31, and both threads come before the first has published.
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_ready;
static int x, object;

static int get(void) {
    if (!atomic_load(&is_ready)) {
        pthread_mutex_lock(&m);
        int is_forced = x > 0 && x < 1000 && x * 3 == 93;
        if (is_forced || !atomic_load(&is_ready)) {
            object = x;                         // race missed(explore): it tries other values
            atomic_store(&is_ready, 1);
        }
        pthread_mutex_unlock(&m);
    }
    return object;                              // race missed(explore): it tries other values
}

static void *worker(void *arg) {
    return get() == x ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    x = __VERIFIER_nondet_int();
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
