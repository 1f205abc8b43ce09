// A signal brings the address of a local variable to the thread that waits for it.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t expected;

static void *worker(void *arg) {
    siginfo_t info;
    if (sigwaitinfo(&expected, &info) == SIGUSR1)
        *(int *)info.si_value.sival_ptr = 1;    // race missed(explore): signals that are waited for do not come
    return arg;
}

int main(void) {
    pthread_t t;
    int count = 0;
    union sigval value = {.sival_ptr = &count};
    sigemptyset(&expected);
    sigaddset(&expected, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &expected, NULL);
    pthread_create(&t, NULL, worker, NULL);
    sigqueue(getpid(), SIGUSR1, value);
    count = 2;                                  // race missed(explore): signals that are waited for do not come
    pthread_join(t, NULL);
    return 0;
}
