// A static local counter under a lock.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int next_id(void) {
    static int last;
    pthread_mutex_lock(&m);
    int id = ++last;                            // no-race
    pthread_mutex_unlock(&m);
    return id;
}

static void *worker(void *arg) {
    return next_id() > 0 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    int mine = next_id();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return mine <= 3 ? 0 : 1;
}
