// The destructor of a key runs before the join of its thread returns.
#include <pthread.h>

static pthread_key_t key;
static int ended;

static void destroy(void *value) {
    ended += *(int *)value;                     // no-race alarm(lockset): that destructors run before the join returns is not known
}

static void *worker(void *arg) {
    pthread_setspecific(key, arg);
    return NULL;
}

int main(void) {
    pthread_t t;
    int weight = 3;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, &weight);
    pthread_join(t, NULL);
    pthread_key_delete(key);
    return ended == 3 ? 0 : 1;                  // no-race alarm(lockset): that destructors run before the join returns is not known
}
