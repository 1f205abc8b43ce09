// two elements of an array of locks, the smaller index first or the larger: deadlock
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void both(int from, int to) {
    int one = from;
    int other = to;
    pthread_mutex_lock(&locks[one]);
    pthread_mutex_lock(&locks[other]); // deadlock
    pthread_mutex_unlock(&locks[other]);
    pthread_mutex_unlock(&locks[one]);
}

static void *first(void *p) {
    both(0, 1);
    return p;
}

static void *second(void *p) {
    both(1, 0);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
