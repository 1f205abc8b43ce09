// All read the word with their turn under a lock that they share, and write it when they have the lock alone.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int turn;
static int x;

static void *worker(void *arg) {
    int id = (int)(long)arg;
    int found;
    do {
        pthread_rwlock_rdlock(&lock);
        found = atomic_load_explicit(&turn, memory_order_relaxed);
        pthread_rwlock_unlock(&lock);
    } while (found != id);
    x++;                                        // no-race
    pthread_rwlock_wrlock(&lock);
    atomic_store_explicit(&turn, id + 1, memory_order_relaxed);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)(long)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
