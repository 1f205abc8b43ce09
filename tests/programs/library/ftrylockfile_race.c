// Who has not got the lock of a stream writes all the same.
#include <pthread.h>
#include <stdio.h>

static int x;

static void *worker(void *arg) {
    int error = ftrylockfile(stdout);
    x++;                                        // race
    if (error == 0) funlockfile(stdout);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    flockfile(stdout);
    flockfile(stdout);
    x = 1;                                      // race
    funlockfile(stdout);
    x = 2;                                      // race
    funlockfile(stdout);
    pthread_join(t, NULL);
    return 0;
}
