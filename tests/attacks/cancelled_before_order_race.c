// Who was cancelled does not wait: that the second thread has been joined says nothing of what it would have joined.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t inner;
static int x, y;

static void *writer(void *arg) {
    sleep(1);
    x = 1; // race
    return arg;
}

static void *waiter(void *arg) {
    pthread_create(&inner, NULL, writer, NULL);
    pthread_mutex_lock(&m);
    y++; // no-race
    pthread_mutex_unlock(&m);
    pthread_join(inner, NULL);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_mutex_lock(&m);
    y++; // no-race
    pthread_mutex_unlock(&m);
    pthread_cancel(a);
    pthread_join(a, NULL);
    return x; // race
}
