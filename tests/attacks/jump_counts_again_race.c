// A jump goes back to where a thread was created already: there are two of them in the end.
#include <pthread.h>
#include <setjmp.h>

static int x;

static void *worker(void *arg) {
    x++; // race
    return arg;
}

int main(void) {
    jmp_buf back;
    pthread_t a;
    volatile int rounds = 0;
    setjmp(back);
    pthread_create(&a, NULL, worker, NULL);
    if (rounds++ < 1)
        longjmp(back, 1);
    pthread_join(a, NULL);
    return 0;
}
