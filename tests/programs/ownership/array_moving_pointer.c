// Each thread gets what a pointer points to that moves along with the loop's counter.
#include <pthread.h>

#define N 2
static int cell[3 * N];

static void *worker(void *arg) {
    *(int *)arg = 1;                            // no-race
    ((int *)arg)[1] = 2;                        // no-race
    return NULL;
}

int main(void) {
    pthread_t t;
    int *p = cell;
    for (int i = 0; i < N; i++) {
        pthread_create(&t, NULL, worker, p);
        p += 2;
    }
    return 0;
}
