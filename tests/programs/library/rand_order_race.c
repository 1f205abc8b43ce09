// Who draws first gets the first number of the sequence, and writes.
#include <pthread.h>
#include <stdlib.h>

static int first, x;

static void *draws(void *arg) {
    if (rand() == first) x++;                   // race missed(explore): in which order they draw is not tried
    return arg;
}

int main(void) {
    pthread_t t;
    srand(7);
    first = rand();
    srand(7);
    pthread_create(&t, NULL, draws, NULL);
    rand();
    x = 1;                                      // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
