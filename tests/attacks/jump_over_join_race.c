// A jump goes round the join.
#include <pthread.h>
#include <setjmp.h>

static int x;
static jmp_buf back;

static void *worker(void *arg) {
    x++; // race missed(explore): only with an argument
    return arg;
}

static void wait_for(pthread_t thread, int is_quick) {
    if (is_quick)
        longjmp(back, 1);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    pthread_t a;
    pthread_create(&a, NULL, worker, NULL);
    if (!setjmp(back))
        wait_for(a, argc > 1);
    x++; // race missed(explore): only with an argument
    return 0;
}
