// Who finds the flag set by an exchange knows what came before it, not what its thread does afterwards.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int value;

static void *reader(void *arg) {
    if (atomic_load(&flag) == 1)
        value = 1;                              // race
    return arg;
}

static void *setter(void *arg) {
    atomic_exchange(&flag, 1);
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, setter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
