// The destructor of a key runs at the end of its thread, while another thread uses the same counter.
#include <pthread.h>

static pthread_key_t key;
static int ended;

static void destroy(void *value) {
    ended += *(int *)value;                     // race
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
    ended++;                                    // race
    pthread_join(t, NULL);
    return ended >= 1 ? 0 : 1;                  // no-race alarm(lockset): that destructors run before the join returns is not known
}
