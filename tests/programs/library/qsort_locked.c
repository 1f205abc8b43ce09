// qsort sorts a shared array under a lock.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int numbers[6] = {5, 2, 8, 1, 9, 3};

static int compare(const void *p, const void *q) {
    return *(const int *)p - *(const int *)q;   // no-race
}

static void *sorter(void *arg) {
    pthread_mutex_lock(&m);
    qsort(numbers, 6, sizeof numbers[0], compare);  // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, sorter, NULL);
    pthread_mutex_lock(&m);
    numbers[2] = 0;                             // no-race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return numbers[0] <= 1 ? 0 : 1;             // no-race
}
