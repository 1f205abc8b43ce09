// bsearch in a table that was sorted before the threads started.
#include <pthread.h>
#include <stdlib.h>

static int numbers[4] = {7, 5, 3, 1};

static int compare(const void *p, const void *q) {
    return *(const int *)p - *(const int *)q;   // no-race
}

static void *finder(void *arg) {
    int key = 5;
    int *found = bsearch(&key, numbers, 4, sizeof numbers[0], compare);  // no-race
    return found != NULL && *found == 5 ? arg : NULL;  // no-race
}

int main(void) {
    pthread_t a, b;
    qsort(numbers, 4, sizeof numbers[0], compare);  // no-race
    pthread_create(&a, NULL, finder, NULL);
    pthread_create(&b, NULL, finder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
