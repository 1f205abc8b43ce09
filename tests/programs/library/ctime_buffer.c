// ctime fills in the structure that localtime has returned, under one lock.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct tm *shown;
static long year;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    year = shown->tm_year;                     // no-race alarm(explore): hidden state is not observed
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    time_t then = 0;
    pthread_mutex_lock(&m);
    ctime(&then);                              // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    time_t now = time(NULL);
    shown = localtime(&now);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
