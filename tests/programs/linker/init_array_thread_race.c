// A function that the loader calls by a table creates a thread, which main joins after it has written.
#include <pthread.h>

static int shared;
static pthread_t thread;

static void *worker(void *arg)
{
    shared++; // race
    return arg;
}

static void start(void)
{
    shared = 1; // no-race
    pthread_create(&thread, 0, worker, 0);
}

static void (*const entry)(void) __attribute__((section(".init_array"), used)) = start;

int main(void)
{
    shared = 2; // race
    pthread_join(thread, 0);
    return 0;
}
