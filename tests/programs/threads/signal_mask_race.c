// The signal mask is inherited from the thread that creates the others.
#include <pthread.h>
#include <signal.h>

static int x;

static void *writes(void *p) {
    x = 1; // race
    return p;
}

static void *looks(void *p) {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, 0, &now);
    if (sigismember(&now, SIGUSR1))
        x = 2; // race
    return p;
}

int main(void) {
    pthread_t a, b;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&a, 0, writes, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
