// A thread that is refused a rwlock because it writes it already has it all the same.
#include <pthread.h>

static pthread_rwlock_t locks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static int x;

static void give_back(pthread_rwlock_t *lock) { pthread_rwlock_unlock(lock); }

static void *worker(void *arg) {
    pthread_rwlock_wrlock(&locks[0]);
    pthread_rwlock_wrlock(&locks[1]);
    give_back(arg ? &locks[0] : &locks[1]);
    int refused = pthread_rwlock_wrlock(&locks[0]);
    if (refused) x++;                           // no-race
    pthread_rwlock_unlock(&locks[0]);
    if (arg) pthread_rwlock_unlock(&locks[1]);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    (void)argv;
    pthread_create(&a, NULL, worker, argc > 5 ? &x : NULL);
    pthread_create(&b, NULL, worker, argc > 5 ? &x : NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x;                                   // no-race
}
