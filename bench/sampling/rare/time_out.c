/* A wait that times out goes on without the news. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done, result;

static void *first(void *unused) {
    (void)unused;
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += 2;
    pthread_mutex_lock(&m);
    int failed = 0;
    while (!done && failed == 0) failed = pthread_cond_timedwait(&c, &m, &when);
    int is_done = done;
    pthread_mutex_unlock(&m);
    if (!is_done) result = -1; // race
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    result = 7; // race
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
