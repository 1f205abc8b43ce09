/* A thread flushes a buffer when it is full, or when its time is up. Racy: it looks without the lock. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#ifdef ENDLESS
#define ROUNDS for (;;)
#else
#define ROUNDS for (int round = 0; round < 2; round++)
#endif
#ifdef RACY
#define IF_RACY(a, b) a
#else
#define IF_RACY(a, b) b
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int lines;
static void *flusher(void *unused) {
    struct timespec until = {1, 0};
    ROUNDS {
        int any = IF_RACY(lines, 0);
        pthread_mutex_lock(&m);
        if (lines < 2) pthread_cond_timedwait(&c, &m, &until);
        lines = 0;
        pthread_mutex_unlock(&m);
        (void)any;
    }
    return unused;
}
static void *writer(void *unused) {
    ROUNDS {
        pthread_mutex_lock(&m);
        if (lines < 2) lines++;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return unused;
}
int main(void) {
    pthread_t ids[2];
    pthread_create(&ids[0], 0, flusher, 0);
    pthread_create(&ids[1], 0, writer, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
