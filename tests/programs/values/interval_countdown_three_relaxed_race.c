// A budget of pages is counted down by relaxed operations, which order nothing.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int pages = 3;
static int table = 4;

static int take(void) {
    return atomic_fetch_sub_explicit(&pages, 1, memory_order_relaxed) - 1;
}

static void *reader(void *arg) {
    int seen = table;                           // race
    if (take() == 0)
        table = 0;                              // race
    return seen > 0 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, reader, NULL);
    int seen = table;                           // race
    if (take() == 0)
        table = 0;                              // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen == 4 ? 0 : 1;
}
