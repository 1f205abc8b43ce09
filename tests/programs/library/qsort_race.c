// qsort sorts a shared array while main writes an element.
#include <pthread.h>
#include <stdlib.h>

static int numbers[6] = {5, 2, 8, 1, 9, 3};

static int compare(const void *p, const void *q) {
    return *(const int *)p - *(const int *)q;   // race
}

static void *sorter(void *arg) {
    qsort(numbers, 6, sizeof numbers[0], compare);  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, sorter, NULL);
    numbers[2] = 0;                             // race
    pthread_join(t, NULL);
    return numbers[0] <= 1 ? 0 : 1;             // no-race
}
