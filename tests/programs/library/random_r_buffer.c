// The structure of `random_r` leads to the buffer that `initstate_r` was given: another one is not concerned.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static char state[64], other[64];
static struct random_data data;

static void *draw(void *arg)
{
    int number;
    random_r(&data, &number); // no-race alarm(explore): the library's accesses to its state are not seen
    return arg;
}

int main(void)
{
    pthread_t id;
    initstate_r(1, state, sizeof state, &data);
    pthread_create(&id, NULL, draw, NULL);
    other[8] = 1; // no-race
    pthread_join(id, NULL);
    return 0;
}
