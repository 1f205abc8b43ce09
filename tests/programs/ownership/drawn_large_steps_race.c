// Numbers are drawn from a counter that grows in steps so large that it comes back to zero.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next;
static char cell[4];

static void *worker(void *arg) {
    int i = (int)atomic_fetch_add(&next, 0x40000000u);
    if (i >= 0 && i < 4)
        cell[i]++;                              // race
    return arg;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 5; i++)
        pthread_create(&t, NULL, worker, NULL);
    return 0;
}
