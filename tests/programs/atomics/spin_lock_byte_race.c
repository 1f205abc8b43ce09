// A word is taken as a lock as a whole by one thread, in its first byte by another: both find zero.
#include <pthread.h>

static int word;
static int data;

static void *whole(void *arg) {
    if (__atomic_exchange_n(&word, 256, __ATOMIC_SEQ_CST) == 0) {
        data++;                                 // race
        __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
    }
    return arg;
}

static void *part(void *arg) {
    if (__atomic_exchange_n((char *)&word, 1, __ATOMIC_SEQ_CST) == 0) {
        data++;                                 // race
        __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, whole, NULL);
    pthread_create(&t, NULL, part, NULL);
    return 0;
}
