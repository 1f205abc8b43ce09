// The buffer of `initstate`, looked at again when nobody draws any more; two threads may draw at a time.
#include <pthread.h>
#include <stdlib.h>

static char state[64];

static void *draw(void *arg)
{
    random(); // no-race alarm(explore): the library's accesses to its state are not seen
    return arg;
}

int main(void)
{
    pthread_t one, two;
    initstate(1, state, sizeof state);
    pthread_create(&one, NULL, draw, NULL);
    pthread_create(&two, NULL, draw, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    state[9] = 1; // no-race
    return 0;
}
