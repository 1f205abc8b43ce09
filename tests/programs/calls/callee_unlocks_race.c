// A callee that sometimes releases the lock: its caller goes on as if it were held.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value, logged;

static void *log_line(void *full) {
    logged++;                                   // no-race
    if (full != NULL) {
        pthread_mutex_unlock(&m);
        return NULL;
    }
    return &m;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_t *held = log_line(arg);
    value++;                                    // race
    if (held != NULL)
        pthread_mutex_unlock(held);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &m);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return logged == 2 ? 0 : 1;                 // no-race
}
