// Backwards from the end of an array, which is the start of the next one in its struct.
#include <pthread.h>

static struct {
    int keys[4];
    int values[4];
    long sums[4];
    long counts[4];
} table;

static void *worker(void *arg) {
    int *end = table.keys + 4;
    end[-1] = 1;                                // race
    long *at = table.sums + 4;
    while (at != table.sums)
        *--at = 0;                              // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    table.keys[3] = 2;                          // race
    table.sums[1] = 3;                          // race
    pthread_join(t, NULL);
    return table.values[0] + (int)table.counts[0];
}
