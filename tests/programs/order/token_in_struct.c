// Tokens are a field of structures, whose other fields the workers write as well.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_t ids[2];
struct slot { int full, value; };
static struct slot slots[2];
static int running;

static void *worker(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&locks[i]);
    slots[i].value = 7;                         // no-race
    slots[i].full = 1;                          // no-race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

static void *cleaner(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[i]);
        if (slots[i].full) {                    // no-race
            pthread_join(ids[i], NULL);         // no-race
            pthread_mutex_lock(&m);
            running--;                          // no-race
            pthread_mutex_unlock(&m);
            slots[i].full = 0;                  // no-race
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
        ids[1] = slots[1].value;                // no-race
    return 0;
}
