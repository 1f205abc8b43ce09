/* Who finds that it should stop writes its summary, if it has done something. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stop, work, summary;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&m);
        int now = stop;
        if (!now) work++;
        pthread_mutex_unlock(&m);
        if (now && work > 3 && work < 12) { // race
            summary = work;
            break;
        }
        if (now) break;
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    stop = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int seen = work;
    pthread_mutex_unlock(&m);
    if (seen > 3 && seen < 12) summary = -1; // race
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
