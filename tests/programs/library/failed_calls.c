// Calls that fail write nothing, whatever they are given.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static struct timespec now;
static int status;

static void *worker(void *arg) {
    now.tv_sec = 1;                     // no-race alarm(lockset): that the call fails is not known
    status = 1;                         // no-race alarm(lockset): the same
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    clock_gettime(9999, &now);          // no-race alarm(lockset): the same
    waitpid(-1, &status, 0);            // no-race alarm(lockset): the same
    pthread_join(t, NULL);
    return 0;
}
