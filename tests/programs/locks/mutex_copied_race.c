// A free mutex is copied over one that others use: whoever holds that is not alone any more.
#include <pthread.h>

static pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER, m;
static int count;

static void *copies(void *arg) {
    m = fresh;                                  // race
    pthread_mutex_lock(&m);
    count++;                                    // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *uses(void *arg) {
    pthread_mutex_lock(&m);                     // race
    count++;                                    // race
    pthread_mutex_unlock(&m);                   // race
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
