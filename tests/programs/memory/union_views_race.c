// One view of a union is a matrix, the other one array of as many numbers: any of these is in some row.
#include <pthread.h>

static union {
    int row[4][4];
    int all[16];
} table;

static void *worker(void *arg) {
    int *which = arg;
    table.all[*which] = 1;                      // race
    return arg;
}

int main(void) {
    int which = 9;
    pthread_t t;
    pthread_create(&t, NULL, worker, &which);
    table.row[2][1] = 2;                        // race
    pthread_join(t, NULL);
    return table.all[15] > 1;
}
