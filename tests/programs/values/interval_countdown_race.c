// Who takes the last page but one clears the table that another may read.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int pages = 2;
static int table = 4;

static int take(void) {
    return atomic_fetch_sub_explicit(&pages, 1, memory_order_acq_rel) - 1;
}

static void *reader(void *arg) {
    int seen = table;                           // no-race alarm(lockset): the last page is taken when both have read
    if (take() <= 1)
        table = 0;                              // race
    return seen > 0 ? arg : NULL;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, reader, NULL);
    int seen = table;                           // race
    if (take() == 0)
        table = 1;                              // race
    pthread_join(a, NULL);
    return seen == 4 ? 0 : 1;
}
