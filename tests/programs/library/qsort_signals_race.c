// The last comparison of qsort tells another thread to go on; the elements are moved behind it.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static int numbers[2] = {2, 1};
static sem_t ready;

static int compare(const void *p, const void *q) {
    int difference = *(const int *)p - *(const int *)q;
    sem_post(&ready);
    return difference;
}

static void *writer(void *arg) {
    sem_wait(&ready);
    numbers[0] = 0;                             // race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, writer, NULL);
    qsort(numbers, 2, sizeof numbers[0], compare);  // race
    pthread_join(t, NULL);
    return numbers[0] <= 1 ? 0 : 1;             // no-race
}
