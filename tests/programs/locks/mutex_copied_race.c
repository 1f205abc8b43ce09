// A free mutex is copied over one that others use: whoever holds that is not alone any more.
#include <pthread.h>

static pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER, m;
static int count;

static void *copies(void *arg) {
    m = fresh;
    pthread_mutex_lock(&m);
    count++;                                    // race missed(explore): a lock that is overwritten is no event
    pthread_mutex_unlock(&m);
    return arg;
}

static void *uses(void *arg) {
    pthread_mutex_lock(&m);
    count++;                                    // race missed(explore): see above
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, copies, NULL);
    pthread_create(&b, NULL, uses, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
