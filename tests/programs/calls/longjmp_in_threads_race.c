// Each thread jumps within its own stack, to code that counts without a lock.
#include <pthread.h>
#include <setjmp.h>

static int count;

static void leave(jmp_buf *where, int value) {
    longjmp(*where, value);
}

static void *worker(void *arg) {
    jmp_buf here;
    if (setjmp(here) == 0)
        leave(&here, 1);
    count++;                                    // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count >= 1 ? 0 : 1;                  // no-race
}
