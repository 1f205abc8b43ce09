// The function unlocks before it jumps: behind the setjmp the lock is gone.
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int failures;

static void risky(jmp_buf *env) {
    pthread_mutex_unlock(&m);
    longjmp(*env, 1);
}

static void *worker(void *arg) {
    jmp_buf env;
    pthread_mutex_lock(&m);
    if (setjmp(env) == 0) {
        risky(&env);
        pthread_mutex_unlock(&m);
    } else {
        failures++;                             // race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return failures <= 2 ? 0 : 1;               // no-race
}
