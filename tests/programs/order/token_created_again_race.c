// Workers with the same numbers are made again, while the tokens of the first ones are there.
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_t ids[2];
static pthread_t last;
static int cells[2];

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
            last = ids[i];                      // race
        }
        pthread_mutex_unlock(&locks[i]);
    }
    return arg;
}

static void two_workers(void) {
    for (long i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, worker, (void *)i); // race
    for (long i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
}

int main(void) {
    pthread_t c;
    pthread_create(&c, NULL, cleaner, NULL);
    two_workers();
    two_workers();
    return 0;
}
