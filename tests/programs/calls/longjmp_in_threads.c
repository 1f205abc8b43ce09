// Each thread jumps within its own stack.
#include <pthread.h>
#include <setjmp.h>

static int results[2];

static void leave(jmp_buf *where, int value) {
    longjmp(*where, value);
}

static void *worker(void *arg) {
    long i = (long)arg;
    jmp_buf here;
    int value = setjmp(here);
    if (value == 0)
        leave(&here, (int)i + 1);
    results[i] = value;                         // no-race alarm(lockset): which index it is behind a setjmp is not known
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return results[0] == 1 && results[1] == 2 ? 0 : 1;  // no-race
}
