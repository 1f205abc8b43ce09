// a comparison that sorting calls takes a lock, which the sorter does not hold, or does: no-deadlock, proved by lockset
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void *left, const void *right) {
    pthread_mutex_lock(&m); // no-deadlock
    int order = *(const int *)left - *(const int *)right;
    pthread_mutex_unlock(&m);
    return order;
}

static void *sorter(void *p) {
    int numbers[2] = {2, 1};
    qsort(numbers, 2, sizeof *numbers, compare);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, sorter, 0);
    pthread_create(&u, 0, sorter, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
