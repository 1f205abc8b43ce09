// A loop writes all elements of an array before one is read.
#include <pthread.h>

#define N 8
static int shared;

static void *worker(void *arg) {
    shared = 1;                                 // no-race alarm(lockset): it does not follow the value
    return arg;
}

int main(void) {
    pthread_t t;
    int table[N], *last = &table[N - 1];
    for (int i = 0; i < N; i++)
        table[i] = i % 3;
    pthread_create(&t, NULL, worker, NULL);
    if (*last == 7)
        shared = 2;                             // no-race alarm(lockset): it does not follow the value
    pthread_join(t, NULL);
    return 0;
}
