// T threads, each I times: lock, increment, unlock. (T*I)! / (I!)^T traces.
#include <pthread.h>

#ifndef T
#define T 3
#endif
#ifndef I
#define I 4
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *arg) {
    for (int i = 0; i < I; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t threads[T];
    for (int i = 0; i < T; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < T; i++)
        pthread_join(threads[i], NULL);
    return counter == T * I ? 0 : 1;
}
