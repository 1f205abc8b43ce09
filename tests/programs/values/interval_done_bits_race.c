// Each worker sets its bit when done; main waits for any bit.
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
    while ((atomic_load(&done) & 3) == 0)
        ;
    int sum = left + right;                     // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum == 3 ? 0 : 1;
}
