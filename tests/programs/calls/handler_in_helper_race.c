// A function that only registers a signal handler. No execution shows the race: signals come from outside.
#include <pthread.h>
#include <signal.h>

static int stopped;

static void on_signal(int number) {
    stopped = number;                           // race missed(explore): signals are not sent
}

static void prepare(int number) {
    signal(number, on_signal);
}

static void *worker(void *arg) {
    stopped = 0;                                // race missed(explore): signals are not sent
    return arg;
}

int main(void) {
    pthread_t t;
    prepare(SIGTERM);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
