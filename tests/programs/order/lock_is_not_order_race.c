// Two critical sections of one mutex, one after the write and one before the read: that is no order.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data, entries;

static void *writer(void *arg) {
    data = 1;                                   // race
    pthread_mutex_lock(&m);
    entries++;                                  // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&m);
    entries++;                                  // no-race
    pthread_mutex_unlock(&m);
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen <= 1 ? 0 : 1;
}
