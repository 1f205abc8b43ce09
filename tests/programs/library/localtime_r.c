// localtime_r fills an object of the caller.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

static void *worker(void *arg) {
    time_t when = (time_t)(long)arg;
    struct tm mine;
    localtime_r(&when, &mine);                  // no-race
    return mine.tm_year > 0 ? arg : NULL;       // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)100000000L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
