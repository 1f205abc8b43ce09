// Whoever jumps out of a routine that is run once has not run it: the next one does, not ordered behind.
#include <pthread.h>
#include <setjmp.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int count;
static __thread jmp_buf back;

static void routine(void) {
    count++;                                    // race
    longjmp(back, 1);
}

static void *worker(void *arg) {
    if (setjmp(back) == 0)
        pthread_once(&once, routine);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
