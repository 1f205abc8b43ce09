// The pointer moves in some rounds only.
#include <pthread.h>

#define N 2
static int cell[3 * N];

static void *worker(void *arg) {
    *(int *)arg = 1;                            // race
    return NULL;
}

int main(void) {
    pthread_t t;
    int *p = cell;
    for (int i = 0; i < N; i++) {
        pthread_create(&t, NULL, worker, p);
        p += i & 1;
    }
    return 0;
}
