// A signal handler writes what a thread writes under a lock. No execution shows it: signals come from outside.
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stopped;

static void on_signal(int number) {
    stopped = number;                           // race missed(explore): signals are not sent
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    stopped = 0;                                // race missed(explore): signals are not sent
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    signal(SIGTERM, on_signal);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
