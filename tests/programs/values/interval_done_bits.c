// Each worker sets its bit when done; main waits for all bits.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;
static int left, right;

static void *first(void *arg) {
    left = 1;                                   // no-race alarm(lockset): the bits tell who is done
    atomic_fetch_or(&done, 1);
    return arg;
}

static void *second(void *arg) {
    right = 2;                                  // no-race alarm(lockset): the bits tell who is done
    atomic_fetch_or(&done, 2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    while ((atomic_load(&done) & 3) != 3)
        ;
    int sum = left + right;                     // no-race alarm(lockset): the bits tell who is done
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum == 3 ? 0 : 1;
}
