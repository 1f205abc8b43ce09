// Constant indices into an array of locks: element 0 for x, element 1 for y.
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x, y;

static void *worker(void *arg) {
    pthread_mutex_lock(&locks[0]);
    x++;                                        // no-race
    pthread_mutex_unlock(&locks[0]);
    pthread_mutex_lock(&locks[1]);
    y++;                                        // no-race
    pthread_mutex_unlock(&locks[1]);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x + y == 4 ? 0 : 1;                  // no-race
}
