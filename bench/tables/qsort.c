// A quicksort whose parts are sorted by THREADS threads, each in memory of its own; five locks guard the array and the
// accounts that they keep.
#include <pthread.h>
#include <stdio.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef SIZE
#define SIZE 120
#endif

struct part {
    int from, to;
};

static int numbers[SIZE];
static struct part parts[THREADS];
static int parts_left, comparisons, exchanges, deepest, finished;
static pthread_mutex_t array_lock = PTHREAD_MUTEX_INITIALIZER, compare_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t exchange_lock = PTHREAD_MUTEX_INITIALIZER, depth_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t finish_lock = PTHREAD_MUTEX_INITIALIZER;

struct account {
    int comparisons, exchanges, depth;
};

static int divide(int *array, int from, int to, struct account *account) {
    int pivot = array[(from + to) / 2], low = from, high = to;
    while (low <= high) {
        for (; array[low] < pivot; low++)
            account->comparisons++;
        for (; array[high] > pivot; high--)
            account->comparisons++;
        if (low <= high) {
            int kept = array[low];
            array[low++] = array[high];
            array[high--] = kept;
            account->exchanges++;
        }
    }
    return low;
}

static void sort(int *array, int from, int to, int depth, struct account *account) {
    int middle;
    if (from >= to)
        return;
    if (depth > account->depth)
        account->depth = depth;
    middle = divide(array, from, to, account);
    sort(array, from, middle - 1, depth + 1, account);
    sort(array, middle, to, depth + 1, account);
}

static void *worker(void *arg) {
    struct account account = {0, 0, 0};
    struct part part;
    int own[SIZE];
    pthread_mutex_lock(&array_lock);
    part = parts[--parts_left];
    for (int i = part.from; i <= part.to; i++)
        own[i] = numbers[i];
    pthread_mutex_unlock(&array_lock);
    sort(own, part.from, part.to, 1, &account);
    pthread_mutex_lock(&array_lock);
    for (int i = part.from; i <= part.to; i++)
        numbers[i] = own[i];
    pthread_mutex_unlock(&array_lock);
    pthread_mutex_lock(&compare_lock);
    comparisons += account.comparisons;
    pthread_mutex_lock(&exchange_lock);
    exchanges += account.exchanges;
    pthread_mutex_lock(&depth_lock);
    if (account.depth > deepest)
        deepest = account.depth;
    pthread_mutex_lock(&finish_lock);
    finished++;
    pthread_mutex_unlock(&finish_lock);
    pthread_mutex_unlock(&depth_lock);
    pthread_mutex_unlock(&exchange_lock);
    pthread_mutex_unlock(&compare_lock);
    return arg;
}

static int report(void) {
    int wrong = 0;
    pthread_mutex_lock(&array_lock);
    for (int i = 1; i < SIZE; i++)
        wrong += numbers[i - 1] > numbers[i];
    pthread_mutex_unlock(&array_lock);
    pthread_mutex_lock(&compare_lock);
    pthread_mutex_lock(&exchange_lock);
    pthread_mutex_lock(&depth_lock);
    pthread_mutex_lock(&finish_lock);
    printf("%d comparisons, %d exchanges, depth %d, %d finished\n", comparisons, exchanges, deepest, finished);
    pthread_mutex_unlock(&finish_lock);
    pthread_mutex_unlock(&depth_lock);
    pthread_mutex_unlock(&exchange_lock);
    pthread_mutex_unlock(&compare_lock);
    return wrong;
}

int main(void) {
    pthread_t threads[THREADS];
    struct account account = {0, 0, 0};
    unsigned seed = 12345;
    int from = 0;
    for (int i = 0; i < SIZE; i++) {
        seed = seed * 1103515245u + 12345u;
        numbers[i] = (int)(seed >> 16) % 1000;
    }
    for (int i = 0; i < THREADS - 1; i++) {
        int middle = divide(numbers, from, SIZE - 1, &account);
        parts[i] = (struct part){from, middle - 1};
        from = middle;
    }
    parts[THREADS - 1] = (struct part){from, SIZE - 1};
    parts_left = THREADS;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return report();
}
