// Threads compute on data of their own and on tables that nobody changes; results are added up under a lock.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define SIZE 4096
#define ROUNDS 3000

static unsigned table[SIZE];
static unsigned long total;
static int reports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned mixed(const unsigned *row, unsigned seed) {
    unsigned sum = seed;
    for (int i = 0; i < SIZE; i++)
        sum = sum * 31 + (row[i] ^ table[i]);
    return sum;
}

static void fill(unsigned *row, unsigned seed) {
    for (int i = 0; i < SIZE; i++)
        row[i] = seed * i;
}

static void add(unsigned sum) {
    pthread_mutex_lock(&lock);
    total += sum;
    pthread_mutex_unlock(&lock);
    reports++; // race
}

static void *worker(void *arg) {
    unsigned row[SIZE];
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(row, round);
        add(mixed(row, round));
    }
    return arg;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < SIZE; i++)
        table[i] = i * 7;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu %d\n", total, reports > 0);
    return 0;
}
