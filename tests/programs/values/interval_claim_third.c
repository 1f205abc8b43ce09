// Numbers are drawn, from 5 on: only the thread that draws 6 works.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int numbers = 5;
static int data;

static void *worker(void *arg) {
    int mine = atomic_fetch_add(&numbers, 1);
    if (mine == 6)
        data++;                                 // no-race
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return data == 1 ? 0 : 1;                   // no-race
}
