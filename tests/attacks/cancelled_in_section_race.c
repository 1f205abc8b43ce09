// A thread that is cancelled gives its lock back and goes on writing: its cleanup handler does that in the wrong order.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void leave(void *arg) {
    pthread_mutex_unlock(&m);
    x = 0; // race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(leave, NULL);
    x++; // race
    y++; // no-race
    sleep(1);
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_cancel(a);
    pthread_mutex_lock(&m);
    y++; // no-race
    pthread_mutex_unlock(&m);
    return 0;
}
