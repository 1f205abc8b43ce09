// A fair lock: numbers are drawn and served under a mutex, whoever waits does so at a condition variable.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int next, serving, data;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int my = next++;                                                         // no-race
    while (serving != my)                                                    // no-race
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    data++;                                                                  // no-race
    pthread_mutex_lock(&m);
    serving++;                                                               // no-race
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return data == 2 ? 0 : 1;                                                // no-race
}
