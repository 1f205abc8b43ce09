// A token is read twice before it is looked at, and two workers are joined and counted out for it.
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
    for (int i = 0; i < 1; i++) {
        pthread_mutex_lock(&locks[i]);
        int found = cells[i], again = cells[i]; // no-race
        if (found) {
            pthread_join(ids[i], NULL);
            pthread_mutex_lock(&m);
            running--;                          // no-race
            pthread_mutex_unlock(&m);
        }
        if (again) {
            pthread_join(ids[1 - i], NULL);
            pthread_mutex_lock(&m);
            running--;                          // no-race
            pthread_mutex_unlock(&m);
        }
        cells[i] = 0;
        pthread_mutex_unlock(&locks[i]);
    }
    return arg;
}

static pthread_t last;

static void *peeker(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[i]);
        if (cells[i])                           // no-race
            last = ids[i];                      // race
        pthread_mutex_unlock(&locks[i]);
    }
    return arg;
}

int main(void) {
    pthread_t c, p;
    pthread_create(&p, NULL, peeker, NULL);
    for (long i = 0; i < 2; i++) {
        pthread_create(&ids[i], NULL, worker, (void *)i);
        pthread_mutex_lock(&m);
        running++;                              // no-race
        pthread_mutex_unlock(&m);
    }
    pthread_create(&c, NULL, cleaner, NULL);
    pthread_mutex_lock(&m);
    int left = running;                         // no-race
    pthread_mutex_unlock(&m);
    if (left == 0)
        ids[1] = 0;                             // race
    return 0;
}
