// A jump leads out of a section that has been left already: what comes behind it has no lock.
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
    x++; // race
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
