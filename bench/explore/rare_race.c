// A race that is there only if all locked sections of the second thread come before those of the first.
#include <pthread.h>

#ifndef N
#define N 6
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, x;

static void sections(void) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
}

static void *first(void *arg) {
    x = 1;
    sections();
    return arg;
}

static void *second(void *arg) {
    sections();
    x = 2;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count == 2 * N ? 0 : 1;
}
