// Another thread writes whole structures, with the field that is a token.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_t ids[2];
struct slot { int full, value; };
static struct slot slots[2];
static const struct slot full = {1, 0};
static int running;

static void *worker(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&locks[i]);
    slots[i].value = 7;
    slots[i].full = 1;                          // no-race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

static void *cleaner(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[i]);
        if (slots[i].full) {                    // no-race
            pthread_join(ids[i], NULL);         // race
            pthread_mutex_lock(&m);
            running--;                          // no-race
            pthread_mutex_unlock(&m);
            slots[i].full = 0;
        }
        pthread_mutex_unlock(&locks[i]);
    }
    return arg;
}

static void *stranger(void *arg) {
    for (int i = 1; i >= 0; i--) {
        pthread_mutex_lock(&locks[i]);
        slots[i] = full;
        pthread_mutex_unlock(&locks[i]);
    }
    return arg;
}

int main(void) {
    pthread_t c, s;
    pthread_create(&s, NULL, stranger, NULL);
    pthread_create(&c, NULL, cleaner, NULL);
    for (long i = 0; i < 2; i++) {
        pthread_create(&ids[i], NULL, worker, (void *)i); // race
        pthread_mutex_lock(&m);
        running++;                              // no-race
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    int left = running;                         // no-race
    pthread_mutex_unlock(&m);
    if (left == 0)
        ids[1] = 0;
    return 0;
}
