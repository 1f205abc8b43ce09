/* A message is changed after it was handed over, if it was taken at once. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *box, taken;
static int message;

static void *first(void *unused) {
    (void)unused;
    message = 1;
    pthread_mutex_lock(&m);
    box = &message;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int gone = taken;
    pthread_mutex_unlock(&m);
    if (gone) message = 2; // race
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    int *got = box;
    taken = got != NULL;
    pthread_mutex_unlock(&m);
    if (got != NULL) *got += 1; // race
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
