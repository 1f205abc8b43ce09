// sigaction stores the old action before there is another thread whose handler could read it.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static struct sigaction before;

static void on_signal(int number) {
    (void)number;
    if (before.sa_handler == SIG_IGN)           // no-race alarm(explore): handlers do not run at all times
        _exit(1);
}

static void *sender(void *arg) {
    pthread_kill(pthread_self(), SIGCHLD);
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGCHLD, &action, &before);       // no-race
    pthread_create(&t, NULL, sender, NULL);
    pthread_join(t, NULL);
    return 0;
}
