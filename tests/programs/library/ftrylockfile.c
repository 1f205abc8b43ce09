// Who has not got the lock of a stream does not write.
#include <pthread.h>
#include <stdio.h>

static int x;

static void *worker(void *arg) {
    if (ftrylockfile(stdout) == 0) {
        x++;                                    // no-race
        funlockfile(stdout);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    flockfile(stdout);
    flockfile(stdout);
    x = 1;                                      // no-race
    funlockfile(stdout);
    x = 2;                                      // no-race
    funlockfile(stdout);
    pthread_join(t, NULL);
    return 0;
}
