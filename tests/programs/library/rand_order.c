// A thread that would write if it drew a negative number draws all numbers but the seed's, which was set before.
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *draws(void *arg) {
    for (int i = 0; i < 3; i++)
        if (rand() < 0) x++;                    // no-race alarm(lockset): numbers are not followed
    return arg;
}

int main(void) {
    pthread_t t;
    srand(7);
    pthread_create(&t, NULL, draws, NULL);
    x = 1;                                      // no-race alarm(lockset): the same
    pthread_join(t, NULL);
    return 0;
}
