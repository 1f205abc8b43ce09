// `random` works in the buffer that `initstate` was given: under a lock of its own, which plain accesses do not take.
#include <pthread.h>
#include <stdlib.h>

static char state[64];

static void *draw(void *arg)
{
    random(); // race missed(explore): the library's accesses to its state are not seen
    return arg;
}

int main(void)
{
    pthread_t id;
    initstate(1, state, sizeof state);
    pthread_create(&id, NULL, draw, NULL);
    state[9] = 1; // race missed(explore): the library's accesses to its state are not seen
    pthread_join(id, NULL);
    return 0;
}
