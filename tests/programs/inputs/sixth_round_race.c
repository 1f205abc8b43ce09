// A counter that both threads advance must be 6 in the fourth round of one of them.
// The race needs: none; two rounds of the second thread before the fourth of the first.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int rounds, shared;

static void *first(void *arg) {
    for (int i = 1; i <= 4; i++) {
        pthread_mutex_lock(&m);
        int seen = ++rounds;
        pthread_mutex_unlock(&m);
        if (i == 4 && seen == 6)
            shared = 1;                         // race
    }
    return arg;
}

static void *second(void *arg) {
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&m);
        ++rounds;
        if (i == 3)
            shared = 2;                         // race
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
