// No order of the three threads gives the value.
// The value is 0, 1, 2, 4, 5 or 8.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value, shared;

static void *adds(void *arg) {
    pthread_mutex_lock(&m);
    value += 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    value += 3;
    if (value == 7)
        shared = 1;                             // no-race alarm(lockset): data exclude the branch
    pthread_mutex_unlock(&m);
    return arg;
}

static void *doubles(void *arg) {
    pthread_mutex_lock(&m);
    value *= 2;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *looks(void *arg) {
    pthread_mutex_lock(&m);
    int seen = value;
    pthread_mutex_unlock(&m);
    if (seen == 7)
        shared = 2;                             // no-race alarm(lockset): data exclude the branch
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, adds, NULL);
    pthread_create(&b, NULL, doubles, NULL);
    pthread_create(&c, NULL, looks, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
