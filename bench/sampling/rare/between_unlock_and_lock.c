/* A length that is used when it may have changed. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int length, items[8];

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        int at = length;
        pthread_mutex_unlock(&m);
        items[at] = i; // race
        pthread_mutex_lock(&m);
        length = at + 1 < 8 ? at + 1 : 7;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    int at = length;
    pthread_mutex_unlock(&m);
    if (at > 1 && at < 4) items[at] = -1; // race
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
