// Main counts up while it is alone, threads count down: main has read a number that one of them reads as well.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left;
static int cell[8];

static void *worker(void *arg) {
    int mine = atomic_fetch_sub(&left, 1);      // no-race
    cell[mine]++;                               // race
    return arg;
}

int main(void) {
    pthread_t t[2];
    atomic_fetch_add(&left, 1);                 // no-race
    int mine = atomic_fetch_add(&left, 1);      // no-race
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    cell[mine]++;                               // race
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
