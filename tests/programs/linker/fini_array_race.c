// A function that runs after main by a table of the loader writes what a detached thread may still change.
#include <pthread.h>

static int shared;

static void *worker(void *arg)
{
    shared++; // race
    return arg;
}

static void stop(void)
{
    shared = 7; // race
}

static void (*const entry[])(void) __attribute__((section(".fini_array"), used)) = {stop};

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_detach(thread);
    return 0;
}
