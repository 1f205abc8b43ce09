// An input that is written into a variable through its address.
#include <pthread.h>
#include <stddef.h>

extern void __VERIFIER_nondet_memory(void *memory, size_t size);
static int value;

static void *writer(void *arg) {
    (void)arg;
    value = 2;                                  // race
    return NULL;
}

int main(void) {
    pthread_t t;
    int choice = 0;
    __VERIFIER_nondet_memory(&choice, sizeof choice);
    pthread_create(&t, NULL, writer, NULL);
    if (choice == 7)
        value = 1;                              // race
    pthread_join(t, NULL);
    return 0;
}
