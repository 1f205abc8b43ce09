// The writer holds both locks, each reader one of them.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int config = 1;

static void *reader_a(void *arg) {
    pthread_mutex_lock(&a);
    long seen = config;                         // no-race
    pthread_mutex_unlock(&a);
    return (void *)seen;
}

static void *reader_b(void *arg) {
    pthread_mutex_lock(&b);
    long seen = config;                         // no-race
    pthread_mutex_unlock(&b);
    return (void *)seen;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader_a, NULL);
    pthread_create(&t[1], NULL, reader_b, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    config = 2;                                 // no-race
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
