// A thread that was not counted in counts itself out, too.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, result_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running, result;

static void *worker(void *arg) {
    pthread_mutex_lock(&result_lock);
    result += 2;                                // race
    pthread_mutex_unlock(&result_lock);
    pthread_mutex_lock(&m);
    running--;                                  // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *stranger(void *arg) {
    pthread_mutex_lock(&m);
    running--;                                  // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        pthread_mutex_lock(&m);
        running++;
        pthread_mutex_unlock(&m);
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    pthread_t other;
    pthread_create(&other, NULL, stranger, NULL);
    pthread_mutex_lock(&m);
    while (running != 0)                        // no-race
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    return result > 4;                          // race
}
