// Two indices in one function: the lock is that of the first one, the element that of the other.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int data[2];

static void *worker(void *arg) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x < 0 || x > 1 || y < 0 || y > 1)
        return NULL;
    pthread_mutex_lock(&locks[x]);
    if (arg != NULL)
        data[x]++;                                      // race
    else
        data[y]++;                                      // race
    pthread_mutex_unlock(&locks[x]);
    return NULL;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, worker, &t);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
