// The pointer does not move far enough.
#include <pthread.h>

#define N 2
static int cell[3 * N];

static void *worker(void *arg) {
    *(int *)arg = 1;                            // race
    ((int *)arg)[1] = 2;                        // race
    return NULL;
}

int main(void) {
    pthread_t t;
    int *p = cell;
    for (int i = 0; i < N; i++) {
        pthread_create(&t, NULL, worker, p);
        p += 1;
    }
    return 0;
}
