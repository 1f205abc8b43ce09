/* Two readers and a writer under a rwlock. Racy: the writer takes the side of the readers. */
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
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int data;
static void *reader(void *unused) {
    ROUNDS {
        pthread_rwlock_rdlock(&l);
        int seen = data;
        pthread_rwlock_unlock(&l);
        (void)seen;
    }
    return unused;
}
static void *writer(void *unused) {
    ROUNDS {
        IF_RACY(pthread_rwlock_rdlock(&l);, pthread_rwlock_wrlock(&l);)
        data = !data;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}
int main(void) {
    pthread_t ids[3];
    pthread_create(&ids[0], 0, reader, 0);
    pthread_create(&ids[1], 0, reader, 0);
    pthread_create(&ids[2], 0, writer, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    pthread_join(ids[2], 0);
    return 0;
}
