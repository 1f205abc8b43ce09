// A ticket lock for two threads of the same function: numbers are drawn, and served one after the other.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int drawn = 3, served = 3;
static int data;

static int draw(void) {
    return atomic_fetch_add(&drawn, 1);
}

static void *worker(void *arg) {
    int mine = draw();
    while (atomic_load(&served) != mine)
        ;
    data++;                                     // no-race
    atomic_fetch_add(&served, 1);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return data == 2 ? 0 : 1;                   // no-race
}
