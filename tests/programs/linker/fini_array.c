// A function that runs after main by a table of the loader takes the lock of what a detached thread may still change.
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(int n)
{
    pthread_mutex_lock(&lock);
    shared += n; // no-race
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    add(1);
    return arg;
}

static void stop(void)
{
    add(7);
}

static void (*const entry[])(void) __attribute__((section(".fini_array"), used)) = {stop};

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_detach(thread);
    return 0;
}
