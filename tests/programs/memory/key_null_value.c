// A key whose value is null again has nothing to destroy.
#include <pthread.h>

static pthread_key_t key;
static int ended;

static void destroy(void *value) {
    (void)value;
    ended++;                                    // no-race alarm(lockset): that the destructor is not called is not known
}

static void *worker(void *arg) {
    pthread_setspecific(key, arg);
    if (pthread_getspecific(key) != arg)
        return NULL;
    pthread_setspecific(key, NULL);
    return NULL;
}

int main(void) {
    pthread_t t;
    int something;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, worker, &something);
    ended++;                                    // no-race alarm(lockset): that the destructor is not called is not known
    pthread_join(t, NULL);
    return ended == 1 ? 0 : 1;                  // no-race alarm(lockset): that destructors run before the join returns is not known
}
