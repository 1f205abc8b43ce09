/* A node in a box is exchanged for a new one. Racy: without the lock. */
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
static int *box;
static void *worker(void *unused) {
    ROUNDS {
        int *mine = malloc(sizeof *mine);
        if (mine == 0) abort();
        *mine = 1;
        IF_RACY(, pthread_mutex_lock(&m);)
        int *old = box;
        box = mine;
        IF_RACY(, pthread_mutex_unlock(&m);)
        free(old);
    }
    return unused;
}
int main(void) {
    pthread_t ids[2];
    pthread_create(&ids[0], 0, worker, 0);
    pthread_create(&ids[1], 0, worker, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
