// Who finds a token takes it first, then joins its worker and counts it out.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_t ids[2];
static int cells[2], running;

static void *worker(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&locks[i]);
    cells[i] = 1;                               // no-race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

static void *cleaner(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[i]);
        if (cells[i]) {                         // no-race
            cells[i] = 0;                       // no-race
            pthread_join(ids[i], NULL);         // no-race
            pthread_mutex_lock(&m);
            running--;                          // no-race
            pthread_mutex_unlock(&m);
        }
        pthread_mutex_unlock(&locks[i]);
    }
    return arg;
}

int main(void) {
    pthread_t c;
    pthread_create(&c, NULL, cleaner, NULL);
    for (long i = 0; i < 2; i++) {
        pthread_create(&ids[i], NULL, worker, (void *)i); // no-race
        pthread_mutex_lock(&m);
        running++;                              // no-race
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    int left = running;                         // no-race
    pthread_mutex_unlock(&m);
    if (left == 0)
        ids[1] = 0;                             // no-race
    return 0;
}
