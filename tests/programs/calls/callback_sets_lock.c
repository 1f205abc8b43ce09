// Both threads get the pointer to the lock after the function that compares has set it.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *current;
static int numbers[3] = {3, 2, 1};
static int x;

static int compare(const void *a, const void *b) {
    current = &second;
    return *(const int *)a - *(const int *)b;
}

static void *worker(void *arg) {
    pthread_mutex_t *m = arg;
    pthread_mutex_lock(m);
    x++;                                        // no-race
    pthread_mutex_unlock(m);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    (void)argv;
    current = argc > 5 ? &second : &first;
    qsort(numbers, 3, sizeof numbers[0], compare);
    pthread_create(&a, NULL, worker, current);
    pthread_create(&b, NULL, worker, current);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
