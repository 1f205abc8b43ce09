// The counter cannot be that large in the fourth round.
// The two threads have seven rounds together.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int rounds, shared;

static void *first(void *arg) {
    for (int i = 1; i <= 4; i++) {
        pthread_mutex_lock(&m);
        int seen = ++rounds;
        pthread_mutex_unlock(&m);
        if (i == 4 && seen == 8)
            shared = 1;                         // no-race alarm(lockset): data exclude the branch
    }
    return arg;
}

static void *second(void *arg) {
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&m);
        ++rounds;
        if (i == 3)
            shared = 2;                         // no-race alarm(lockset): data exclude the branch
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
