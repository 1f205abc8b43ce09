// Main looks at one byte of the counter, which is zero while a thread still runs.
#include <pthread.h>

static int left;
static int data;

static void *worker(void *arg) {
    data = 1;                                   // race
    __atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void) {
    pthread_t t;
    left = 256;
    pthread_create(&t, NULL, worker, NULL);
    if (__atomic_load_n((signed char *)&left, __ATOMIC_SEQ_CST) == 0)
        return data;                            // race
    return 0;
}
