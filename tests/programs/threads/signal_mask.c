// The signal mask belongs to a thread: the others keep the one that they were created with.
#include <pthread.h>
#include <signal.h>

static int x;

static void *blocks(void *p) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    x = 1; // no-race alarm(lockset): values decide
    return p;
}

static void *looks(void *p) {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, 0, &now);
    if (sigismember(&now, SIGUSR1))
        x = 2; // no-race alarm(lockset): values decide
    return p;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, blocks, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
