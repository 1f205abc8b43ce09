// More locks than one counts on are held at once, one of them for reading: a writer still gets its turn.
#include <pthread.h>
#include <semaphore.h>

enum { LOCKS = 100 };
static pthread_mutex_t locks[LOCKS];
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t done;
static int x;

static void *holds_many(void *p) {
    for (int i = 0; i < LOCKS; i++) {
        if (i == 63) pthread_rwlock_rdlock(&shared);
        pthread_mutex_lock(&locks[i]);
    }
    pthread_mutex_unlock(&locks[0]);
    pthread_rwlock_unlock(&shared);
    for (int i = 1; i < LOCKS; i++) pthread_mutex_unlock(&locks[i]);
    sem_post(&done);
    pthread_rwlock_wrlock(&shared);
    x = 1; // no-race
    pthread_rwlock_unlock(&shared);
    return p;
}

static void *writes(void *p) {
    sem_wait(&done);
    pthread_rwlock_wrlock(&shared);
    x = 2; // no-race
    pthread_rwlock_unlock(&shared);
    return p;
}

int main(void) {
    pthread_t a, b;
    sem_init(&done, 0, 0);
    for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&locks[i], 0);
    pthread_create(&a, 0, holds_many, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
