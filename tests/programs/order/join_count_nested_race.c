// A cleaner joins and counts out two threads, of which one was made by a thread that main has not counted in.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, result_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t ids[2], late;
static int running, result;

static void *worker(void *arg) {
    pthread_mutex_lock(&result_lock);
    result += 2;                                // race
    pthread_mutex_unlock(&result_lock);
    return arg;
}

static void start(pthread_t *id) {
    pthread_create(id, NULL, worker, NULL);
}

static void *starter(void *arg) {
    start(&ids[1]);
    return arg;
}

static void *cleaner(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_join(ids[i], NULL);
        pthread_mutex_lock(&m);
        running--;                              // no-race
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t c;
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            start(&ids[0]);
        else {
            pthread_create(&c, NULL, starter, NULL);
            pthread_join(c, NULL);
            start(&late);
        }
        pthread_mutex_lock(&m);
        running++;                              // no-race
        pthread_mutex_unlock(&m);
    }
    pthread_create(&c, NULL, cleaner, NULL);
    pthread_mutex_lock(&m);
    while (running != 0)                        // no-race
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    return result > 4;                          // race
}
