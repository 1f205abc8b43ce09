/* Both have to find the other's mark. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int left, right, both;

static void *first(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    left = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int other = right;
    pthread_mutex_unlock(&m);
    if (other) both++; // race
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    right = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int other = left;
    pthread_mutex_unlock(&m);
    if (other) both++; // race
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
