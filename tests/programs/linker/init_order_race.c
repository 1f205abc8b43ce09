// The loader's order: .preinit_array, then constructors by priority, then main. The second one creates the thread.
#include <pthread.h>

static int shared;
static pthread_t thread;

static void *worker(void *arg)
{
    shared++; // race
    return arg;
}

__attribute__((constructor(150))) static void creator(void)
{
    pthread_create(&thread, 0, worker, 0);
}

static void later(void)
{
    shared *= 2; // race
}
static void (*const by_priority)(void) __attribute__((section(".init_array.00200"), used)) = later;

static void first(int argc, char **argv)
{
    (void)argv;
    shared = argc; // no-race
}
static void (*const before_all)(int, char **) __attribute__((section(".preinit_array"), used)) = first;

int main(void)
{
    return pthread_join(thread, 0);
}
