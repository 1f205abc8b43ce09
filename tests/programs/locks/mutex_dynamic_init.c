// The mutex is initialised by pthread_mutex_init with default attributes, before the threads.
#include <pthread.h>

static pthread_mutex_t m;
static long total;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    total += (long)arg;                         // no-race
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    pthread_mutex_init(&m, NULL);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_destroy(&m);
    return total == 6 ? 0 : 1;                  // no-race
}
