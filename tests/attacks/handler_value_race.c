// What a thread finds in a variable may have been written by a handler in between.
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t go;
static int x;

static void on_signal(int number) {
    go = 1; // race missed(explore): signals are not sent
}

static void *other(void *arg) {
    x = 1; // race missed(explore): signals are not sent
    return arg;
}

int main(void) {
    pthread_t a;
    signal(SIGINT, on_signal);
    go = 0; // no-race alarm(lockset): only this thread can be interrupted before the other one exists
    int wanted = go; // no-race alarm(lockset): only this thread can be interrupted before the other one exists
    pthread_create(&a, NULL, other, NULL);
    if (wanted)
        x = 2; // race missed(explore): signals are not sent
    return 0;
}
