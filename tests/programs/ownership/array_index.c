// Each thread works on the array element of its index, given as the argument.
#include <pthread.h>

#define N 4
static int cell[N];

static void *worker(void *arg) {
    long i = (long)arg;
    for (int k = 0; k < 5; k++)
        cell[i] += k;                           // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int sum = 0;
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        sum += cell[i];                         // no-race
    return sum == 40 ? 0 : 1;
}
