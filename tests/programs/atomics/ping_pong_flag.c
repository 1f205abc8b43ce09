// An atomic turn variable gives the data to one thread after the other, several times.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;
static int data;

static void *second(void *arg) {
    for (int i = 0; i < 5; i++) {
        while (atomic_load(&turn) != 1)         // no-race
            ;
        data++;                                 // no-race alarm(lockset): whose turn it is depends on a value
        atomic_store(&turn, 0);                 // no-race
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    for (int i = 0; i < 5; i++) {
        while (atomic_load(&turn) != 0)         // no-race
            ;
        data++;                                 // no-race alarm(lockset): whose turn it is depends on a value
        atomic_store(&turn, 1);                 // no-race
    }
    pthread_join(t, NULL);
    return data == 10 ? 0 : 1;                  // no-race
}
