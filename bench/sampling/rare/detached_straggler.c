/* A helper that nobody waits for. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 2
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int helped, answer;

static void *helper(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    int now = helped;
    pthread_mutex_unlock(&m);
    if (now) answer = 1; // race
    return NULL;
}

static void *worker(void *argument) {
    int me = (int)(long)argument;
    pthread_t mine;
    if (me == 0) {
        pthread_create(&mine, NULL, helper, NULL);
        pthread_detach(mine);
    } else {
        pthread_mutex_lock(&m);
        helped = 1;
        pthread_mutex_unlock(&m);
        answer = 2; // race
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
