// Main opens the gate first and finishes the set-up afterwards.
#include <pthread.h>

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int gate_open, setup, result[N];

static void *worker(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&m);
    while (!gate_open)                          // no-race
        pthread_cond_wait(&opened, &m);
    pthread_mutex_unlock(&m);
    result[i] = setup + 1;                      // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    pthread_mutex_lock(&m);
    gate_open = 1;                              // no-race
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&m);
    setup = 9;                                  // race
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return result[0] <= 10 ? 0 : 1;             // no-race
}
