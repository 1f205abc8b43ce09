// Only the third call of the function that compares touches what the thread uses.
#include <pthread.h>
#include <stdlib.h>

static int numbers[4] = {4, 3, 2, 1};
static int calls;
static int x;

static int compare(const void *a, const void *b) {
    calls++;
    if (calls == 3)
        x++;                                    // race
    return *(const int *)a - *(const int *)b;
}

static void *worker(void *arg) {
    x++;                                        // race
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
