// A thread would write if no alarm was set, but one was, before there was a thread.
#include <pthread.h>
#include <unistd.h>

static int x;

static void *cancels(void *arg) {
    if (alarm(0) == 0) x++;                     // no-race alarm(lockset): what the timer was set to decides
    return arg;
}

int main(void) {
    pthread_t t;
    alarm(1000);
    pthread_create(&t, NULL, cancels, NULL);
    x = 1;                                      // no-race alarm(lockset): the same
    pthread_join(t, NULL);
    return 0;
}
