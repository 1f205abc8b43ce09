// sigaction stores the old action when another thread may be in the new handler, which reads it.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static struct sigaction before;

static void on_signal(int number) {
    (void)number;
    if (before.sa_handler == SIG_IGN)           // race
        _exit(1);
}

static void *sender(void *arg) {
    pthread_kill(pthread_self(), SIGCHLD);
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = on_signal};
    pthread_create(&t, NULL, sender, NULL);
    sigaction(SIGCHLD, &action, &before);       // race
    pthread_join(t, NULL);
    return 0;
}
