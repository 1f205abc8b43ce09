/* Who gives back the last reference reads what others still write. */
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

static atomic_int references = 2;
static int body;

static void *first(void *unused) {
    (void)unused;
    body = 1; // race
    if (atomic_fetch_sub_explicit(&references, 1, memory_order_relaxed) == 1) body = -1; // race
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    if (atomic_fetch_sub_explicit(&references, 1, memory_order_relaxed) == 1) body = -2; // race
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
