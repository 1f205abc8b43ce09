// A signal brings the address of a local variable to its handler.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    *(int *)info->si_value.sival_ptr = 1;       // race missed(explore): handlers do not run at all times
}

static void *sender(void *arg) {
    union sigval value = {.sival_ptr = arg};
    sigqueue(getpid(), SIGUSR1, value);
    return arg;
}

int main(void) {
    pthread_t t;
    int count = 0;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, sender, &count);
    count = 2;                                  // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
