/* A timer that fires when the work is half done. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int progress, report;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        progress++;
        pthread_mutex_unlock(&m);
    }
    report = progress; // race
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    usleep(2000);
    pthread_mutex_lock(&m);
    int now = progress;
    pthread_mutex_unlock(&m);
    if (now > 0 && now < 10) report = now; // race
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
