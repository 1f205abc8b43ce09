// Two arrays that lie side by side in a struct: each thread walks over its own, from its start on.
#include <pthread.h>

static struct {
    int size;
    int keys[4];
    int values[4];
} table;

static void *worker(void *arg) {
    int *at = table.values;
    for (int i = 0; i < table.size; i++)
        at[i] = i;                              // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    table.size = 4;
    pthread_create(&t, NULL, worker, NULL);
    int *at = table.keys;
    for (int i = 0; i < table.size; i++)
        at[i] = i;                              // no-race
    table.keys[3] = 2;                          // no-race
    pthread_join(t, NULL);
    return table.values[0];                     // no-race
}
