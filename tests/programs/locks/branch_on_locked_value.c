// What was read under a lock decides whether the write happens; by then the other thread has made its own.
#include <pthread.h>

static pthread_mutex_t f1 = PTHREAD_MUTEX_INITIALIZER, f2 = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;

static void *first(void *arg) {
    pthread_mutex_lock(&f2);
    y++;                                        // no-race
    pthread_mutex_unlock(&f2);
    pthread_mutex_lock(&f1);
    x++;                                        // no-race
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f1);
    z++;                                        // no-race
    pthread_mutex_unlock(&f1);
    return arg;
}

static void *second(void *arg) {
    int c;
    pthread_mutex_lock(&f1);
    z++;                                        // no-race
    c = x;                                      // no-race
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f1);
    if (c != 0)
        y = 7;                                  // no-race
    pthread_mutex_unlock(&f1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x == 1 && z == 2 ? 0 : 1;            // no-race
}
