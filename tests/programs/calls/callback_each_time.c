// Every call of the function that compares is counted, and takes the lock of what the thread uses.
#include <pthread.h>
#include <stdlib.h>

static int numbers[4] = {4, 3, 2, 1};
static int calls;
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void *a, const void *b) {
    calls++;
    pthread_mutex_lock(&m);
    x++;                                        // no-race
    pthread_mutex_unlock(&m);
    return *(const int *)a - *(const int *)b;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    x++;                                        // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    calls = 0;
    pthread_create(&t, NULL, worker, NULL);
    qsort(numbers, 4, sizeof numbers[0], compare);
    pthread_join(t, NULL);
    return 0;
}
