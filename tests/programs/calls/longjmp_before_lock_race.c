// The setjmp stands before the lock; the jump lands there with the lock released in between.
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int attempts, done;

static void *worker(void *arg) {
    jmp_buf env;
    volatile int tries = 0;
    if (setjmp(env) != 0)
        attempts++;                             // race
    tries++;                                    // no-race
    pthread_mutex_lock(&m);
    done++;                                     // no-race
    pthread_mutex_unlock(&m);
    if (tries < 3)
        longjmp(env, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return done == 6 ? 0 : 1;                   // no-race
}
