// Entry of three threads is counted: who finds nobody inside may work, others turn back.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int inside;
static int data;

static void *worker(void *arg) {
    if (atomic_fetch_add(&inside, 1) == 0)
        data++;                                 // no-race alarm(lockset): one at a time by the count
    atomic_fetch_sub(&inside, 1);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return data >= 1 ? 0 : 1;                   // no-race
}
