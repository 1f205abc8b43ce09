// Every worker does its own set-up before it opens the gate, and then reads that of all.
#include <pthread.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int gate_open, setup[N];

static void *worker(void *arg) {
    long i = (long)arg;
    int sum = 0, is_open;
    setup[i] = 1;                               // race
    pthread_mutex_lock(&m);
    gate_open = 1;                              // no-race
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    is_open = gate_open;                        // no-race
    pthread_mutex_unlock(&m);
    if (is_open)
        for (int k = 0; k < N; k++)
            sum += setup[k];                    // race
    return sum ? arg : NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return setup[0] == 1 ? 0 : 1;               // no-race
}
