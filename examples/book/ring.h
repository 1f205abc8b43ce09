/* A queue of numbers that threads share. */
#include <pthread.h>
#include <stddef.h>

enum { RING_SIZE = 8 };

struct ring {
    pthread_mutex_t lock;
    int items[RING_SIZE];
    size_t first, count;
};

void ring_init(struct ring *ring);
int ring_put(struct ring *ring, int item);
int ring_take(struct ring *ring, int *item);
size_t ring_length(struct ring *ring);
