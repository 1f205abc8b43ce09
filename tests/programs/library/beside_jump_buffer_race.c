// Two threads use one jump buffer.
#include <pthread.h>
#include <setjmp.h>

static struct {
    jmp_buf back;
    int x;
} s;

static void *uses(void *arg) {
    if (!setjmp(s.back)) // race
        s.x = 0;
    return arg;
}

static void *writes(void *arg) {
    setjmp(s.back); // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, uses, NULL);
    pthread_create(&b, NULL, writes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
