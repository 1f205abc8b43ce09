// A thread finds its number in the first byte of the word that says whose turn it is, another one in all of it.
#include <pthread.h>

static int turn;
static int data;

static void *worker(void *arg) {
    int me = (int)(long)arg;
    if (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) == me) {
        data++;                                 // race
        __atomic_store_n(&turn, 1, __ATOMIC_SEQ_CST);
    } else if (__atomic_load_n((signed char *)&turn, __ATOMIC_SEQ_CST) == me) {
        data++;                                 // race
        __atomic_store_n(&turn, 2, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    turn = 256;
    for (int i = 0; i < 2; i++)
        pthread_create(&t, NULL, worker, (void *)(long)(i * 256));
    return 0;
}
