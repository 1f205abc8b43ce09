// As with an exchange: the compare-and-swap sets the flag first, the write comes afterwards.
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
    int expected = 0;
    if (atomic_compare_exchange_strong(&flag, &expected, 1))
        value++;                                // race
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
