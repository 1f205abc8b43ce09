// A reader finds a flag set, but not by the thread that has written the data: another one sets its second byte.
#include <pthread.h>

static int flag;
static int data;

static void *writer(void *arg) {
    data = 1;                                   // race
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    return arg;
}

static void *reader(void *arg) {
    if (__atomic_load_n(&flag, __ATOMIC_SEQ_CST) != 0)
        data = 2;                               // race
    return arg;
}

static void *other(void *arg) {
    __atomic_store_n((char *)&flag + 1, 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&t, NULL, other, NULL);
    return 0;
}
