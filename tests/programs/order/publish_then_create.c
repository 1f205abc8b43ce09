// One thread initialises and then creates the other: creation orders, also from inside a thread.
#include <pthread.h>

static int data;

static void *reader(void *arg) {
    return data == 1 ? arg : NULL;              // no-race
}

static void *starter(void *arg) {
    pthread_t t;
    data = 1;                                   // no-race
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    data = 2;                                   // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, starter, NULL);
    pthread_join(t, NULL);
    return data == 2 ? 0 : 1;                   // no-race
}
