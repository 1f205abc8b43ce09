// Who has the turn writes the word's first byte; somebody else writes the second one, and so gives the turn away.
#include <pthread.h>

static int turn;
static int data;

static void *worker(void *arg) {
    if (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) == (int)(long)arg) {
        data++;                                 // race
        __atomic_store_n((char *)&turn, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void *other(void *arg) {
    __atomic_store_n((char *)&turn + 1, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++)
        pthread_create(&t, NULL, worker, (void *)(long)(i * 256));
    pthread_create(&t, NULL, other, NULL);
    return 0;
}
