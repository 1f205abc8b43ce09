// A jump leads out of functions; what comes behind it takes its own lock.
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *worker(void *arg) {
    jmp_buf back;
    pthread_mutex_lock(&m);
    if (!setjmp(back)) {
        pthread_mutex_unlock(&m);
        longjmp(back, 1);
    }
    pthread_mutex_lock(&m);
    x++; // no-race
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n);
    y++; // no-race
    pthread_mutex_unlock(&n);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
