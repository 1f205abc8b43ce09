// Creation and joining in different functions, ids in a global array.
#include <pthread.h>

#define N 3
static pthread_t ids[N];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    value++;                                    // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void start_all(void) {
    for (int i = 0; i < N; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
}

static void join_all(void) {
    for (int i = 0; i < N; i++)
        pthread_join(ids[i], NULL);
}

int main(void) {
    value = 10;                                 // no-race
    start_all();
    join_all();
    return value == 13 ? 0 : 1;                 // no-race
}
