// The number that a thread is given decides about its range of four.
#include <pthread.h>

static int cell[8];

static void *worker(void *arg) {
    int base = (int)(long)arg * 4;
    for (int i = 0; i < 2; i++)
        cell[base + 2 * i] += 1;                // no-race alarm(lockset): ranges of four are apart
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, (void *)1L);
    worker((void *)0L);
    pthread_join(t, NULL);
    return cell[0] + cell[6] == 2 ? 0 : 1;      // no-race
}
