// The routine is left by a jump, so it runs again: nothing orders what its two runs do.
#include <pthread.h>
#include <setjmp.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local jmp_buf back;
static int x;

static void begin(void) {
    x = 1; // race
    longjmp(back, 1);
}

static void *worker(void *arg) {
    if (!setjmp(back))
        pthread_once(&once, begin);
    return x ? arg : NULL; // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
