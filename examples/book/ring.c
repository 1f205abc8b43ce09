#include "ring.h"

void ring_init(struct ring *ring)
{
    pthread_mutex_init(&ring->lock, NULL);
    ring->first = ring->count = 0;
}

int ring_put(struct ring *ring, int item)
{
    int done = 0;
    pthread_mutex_lock(&ring->lock);
    if (ring->count < RING_SIZE) {
        ring->items[(ring->first + ring->count++) % RING_SIZE] = item;
        done = 1;
    }
    pthread_mutex_unlock(&ring->lock);
    return done;
}

int ring_take(struct ring *ring, int *item)
{
    int done = 0;
    pthread_mutex_lock(&ring->lock);
    if (ring->count > 0) {
        *item = ring->items[ring->first];
        ring->first = (ring->first + 1) % RING_SIZE;
        ring->count--;
        done = 1;
    }
    pthread_mutex_unlock(&ring->lock);
    return done;
}

size_t ring_length(struct ring *ring)
{
    return ring->count; /* without the lock */
}
