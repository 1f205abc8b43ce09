// As numbers_filled_before.c, but the loop may be left early.
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

static int *numbers;
static int *results;

static void *worker(void *arg) {
    int number = *(int *)arg;
    results[number] = number;                   // race
    return NULL;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 5)
        return 0;
    numbers = calloc(n, sizeof *numbers);
    results = calloc(n, sizeof *results);
    pthread_t *threads = malloc(n * sizeof *threads);
    for (int i = 0; i < n; i++) {
        numbers[i] = i;
        if (numbers[i] == 1)
            break;
    }
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
