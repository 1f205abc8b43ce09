/* A writer changes a value N times, and a reader looks at it N times, under a read-write lock. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 4
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int pair[2], versions;

static void *writer(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_rwlock_wrlock(&lock);
        pair[versions % 2] = i;
        versions = !versions;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

static void *reader(void *unused) {
    int seen = 0;
    for (int i = 0; i < N; i++) {
        pthread_rwlock_rdlock(&lock);
        int at = versions % 2;
#ifdef RACY
        pthread_rwlock_unlock(&lock);
        seen += pair[at];
#else
        seen += pair[at];
        pthread_rwlock_unlock(&lock);
#endif
    }
    return seen ? unused : 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_create(&c, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
