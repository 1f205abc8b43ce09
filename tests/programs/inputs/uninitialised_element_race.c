// The last element of an array, which a loop leaves out, decides: its value may be any.
#include <pthread.h>

#define N 8
static int shared;

static void *worker(void *arg) {
    shared = 1;                                 // race missed(explore): it reads whatever lies in memory, and says so
    return arg;
}

int main(void) {
    pthread_t t;
    int table[N], *last = &table[N - 1];
    for (int i = 0; i < N - 1; i++)
        table[i] = i % 3;
    pthread_create(&t, NULL, worker, NULL);
    if (*last == 7)
        shared = 2;                             // race missed(explore): it reads whatever lies in memory, and says so
    pthread_join(t, NULL);
    return 0;
}
