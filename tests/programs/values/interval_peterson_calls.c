// Peterson's algorithm behind two functions, its flags in an array.
#include <pthread.h>
#include <stdatomic.h>

static struct {
    atomic_int wants[2];
    atomic_int last;
} gate;
static int data;

static void enter(int me) {
    int other = 1 - me;
    atomic_store(&gate.wants[me], 1);
    atomic_store(&gate.last, me);
    while (atomic_load(&gate.wants[other]) == 1 && atomic_load(&gate.last) == me)
        ;
}

static void leave(int me) {
    atomic_store(&gate.wants[me], 0);
}

static void *first(void *arg) {
    enter(0);
    data++;                                     // no-race alarm(lockset): mutual exclusion by values
    leave(0);
    return arg;
}

static void *second(void *arg) {
    enter(1);
    data++;                                     // no-race alarm(lockset): mutual exclusion by values
    leave(1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data == 2 ? 0 : 1;                   // no-race
}
