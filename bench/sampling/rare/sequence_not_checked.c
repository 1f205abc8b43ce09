/* A reader that looks at the sequence once. */
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

static atomic_int sequence;
static int a, b;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        atomic_fetch_add(&sequence, 1);
        a = i; // race
        b = i;
        atomic_fetch_add(&sequence, 1);
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    int before = atomic_load(&sequence);
    if (before == 4) { // even, and not the end
        int sum = a + b; // race
        (void)sum;
    }
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
