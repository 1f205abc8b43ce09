// A constructor registers a function for the end of the program, and creates a thread; both take a lock.
#include <pthread.h>
#include <stdlib.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    shared++; // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

static void report(void)
{
    pthread_mutex_lock(&lock);
    shared = 0; // no-race
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;
    atexit(report);
    pthread_create(&thread, 0, worker, 0);
    pthread_detach(thread);
}

int main(void)
{
    return 0;
}
