// Threads get a pointer to an id in a private array, and use it as index into a common one.
#include <pthread.h>

#define N 3
static struct slot {
    int hits, misses;
} slots[N];

static void *worker(void *arg) {
    int id = *(int *)arg;                       // no-race
    slots[id].hits++;                           // no-race
    slots[id].misses--;                         // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int ids[N];
    for (int i = 0; i < N; i++) {
        ids[i] = i;                             // no-race
        pthread_create(&t[i], NULL, worker, &ids[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return slots[0].hits + slots[0].misses;     // no-race
}
