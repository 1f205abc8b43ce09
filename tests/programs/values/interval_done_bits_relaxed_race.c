// Each worker sets its bit when done, and main waits for all bits, but reads them relaxed.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;
static int left, right;

static void *first(void *arg) {
    left = 1;                                   // race
    atomic_fetch_or(&done, 1);
    return arg;
}

static void *second(void *arg) {
    right = 2;                                  // race
    atomic_fetch_or(&done, 2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    while ((atomic_load_explicit(&done, memory_order_relaxed) & 3) != 3)
        ;
    int sum = left + right;                     // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum == 3 ? 0 : 1;
}
