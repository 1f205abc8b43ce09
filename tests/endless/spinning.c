/* A lock made of an exchange. Racy: a write behind the release. */
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
static atomic_int word;
static int data;
static void *worker(void *unused) {
    ROUNDS {
        while (atomic_exchange(&word, 1)) ;
        data = !data;
        atomic_store(&word, 0);
        IF_RACY(data = 0;, )
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
