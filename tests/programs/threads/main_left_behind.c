// Main returns while threads still use its variables: they find there what it has left.
#include <pthread.h>

#define THREADS 3
#define NUMBERS 40

static int results[THREADS];

static void *worker(void *arg) {
    int number = *(int *)arg;
    results[number]++;                          // no-race
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int numbers[NUMBERS];
    for (int i = 0; i < THREADS; i++) {
        numbers[NUMBERS - 1 - i] = i;
        pthread_create(&threads[i], NULL, worker, &numbers[NUMBERS - 1 - i]);
    }
    return 0;
}
