// A destructor that sets its key again is called again; all rounds are over when the join returns.
#include <pthread.h>

static pthread_key_t key;
static int rounds;

static void destroy(void *value) {
    if (++rounds < 2)                           // no-race alarm(lockset): that destructors run before the join returns is not known
        pthread_setspecific(key, value);
}

static void *worker(void *arg) {
    pthread_setspecific(key, arg);
    pthread_exit(NULL);
}

int main(void) {
    pthread_t t;
    int something;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, &something);
    pthread_join(t, NULL);
    return rounds == 2 ? 0 : 1;                 // no-race alarm(lockset): that destructors run before the join returns is not known
}
