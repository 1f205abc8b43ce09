// A sequence lock over plain data: a reader that will retry has raced all the same.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static int x, y;

static void *writer(void *arg) {
    for (int i = 1; i <= 20; i++) {
        atomic_fetch_add(&sequence, 1);         // no-race
        x = i;                                  // race
        y = i;                                  // race
        atomic_fetch_add(&sequence, 1);         // no-race
    }
    return arg;
}

int main(void) {
    pthread_t t;
    unsigned before, after;
    int a, b;
    pthread_create(&t, NULL, writer, NULL);
    do {
        before = atomic_load(&sequence);        // no-race
        a = x;                                  // race
        b = y;                                  // race
        after = atomic_load(&sequence);         // no-race
    } while (before != after || before % 2 != 0);
    pthread_join(t, NULL);
    return a == b ? 0 : 1;
}
