// Atomic updates written as inline assembly, as kernels have them: a count of references, a lock, a claim.
#include <pthread.h>
#include <stdlib.h>

#define LOCK ".section .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.previous\n671:\n\tlock; "

struct object {
    int references;
    int data;
};

static int busy, taken, shared, claimed;

static int decrease(int *place) {
    unsigned char is_zero;
    __asm__ volatile(LOCK "decl %0; sete %1" : "+m"(*place), "=qm"(is_zero) : : "memory");
    return is_zero;
}

static int exchange(int *place, int value) {
    __asm__ volatile("xchgl %0,%1" : "+r"(value), "+m"(*place) : : "memory");
    return value;
}

static int compare(int *place, int old, int value) {
    int found;
    __asm__ volatile(LOCK "cmpxchgl %2,%1" : "=a"(found), "+m"(*place) : "r"(value), "0"(old) : "memory");
    return found;
}

static void *worker(void *arg) {
    struct object *object = arg;
    while (exchange(&busy, 1))
        ;
    shared++;                                   // no-race
    exchange(&busy, 0);
    if (compare(&taken, 0, 1) == 0)
        claimed = 1;                            // no-race alarm(lockset): only the value of `taken` tells
    int data = object->data;                    // no-race alarm(lockset): only the count of references orders
    if (decrease(&object->references))          // no-race
        free(object);                           // no-race alarm(lockset): as above
    return data ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    struct object *object = malloc(sizeof *object);
    object->references = 2;
    object->data = 3;
    pthread_create(&a, NULL, worker, object);
    pthread_create(&b, NULL, worker, object);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared != 2;                         // no-race
}
