// A longjmp out of a locked region: at the setjmp the lock is still held.
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int failures;

static void risky(jmp_buf *env) {
    longjmp(*env, 1);
}

static void *worker(void *arg) {
    jmp_buf env;
    pthread_mutex_lock(&m);
    if (setjmp(env) == 0)
        risky(&env);
    else
        failures++;                             // no-race alarm(lockset): nothing is taken to be held after longjmp
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return failures == 2 ? 0 : 1;               // no-race
}
