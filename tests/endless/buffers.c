/* A writer fills one of two buffers, and swaps them under a lock. Racy: it writes behind the swap. */
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
static int buffers[2], front;
static void *writer(void *unused) {
    int back = 1;
    ROUNDS {
        buffers[back] = 1;
        pthread_mutex_lock(&m);
        front = back;
        back = !back;
        pthread_mutex_unlock(&m);
        IF_RACY(buffers[!back] = 0;, )
    }
    return unused;
}
static void *reader(void *unused) {
    ROUNDS {
        pthread_mutex_lock(&m);
        int seen = buffers[front];
        pthread_mutex_unlock(&m);
        (void)seen;
    }
    return unused;
}
int main(void) {
    pthread_t ids[2];
    pthread_create(&ids[0], 0, writer, 0);
    pthread_create(&ids[1], 0, reader, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
