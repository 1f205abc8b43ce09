// A constructor registers a function for the end of the program, and creates a thread that nobody joins.
#include <pthread.h>
#include <stdlib.h>

static int shared;

static void *worker(void *arg)
{
    shared++; // race
    return arg;
}

static void report(void)
{
    shared = 0; // race
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
