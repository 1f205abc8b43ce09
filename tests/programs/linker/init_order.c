// The loader's order: .preinit_array, then constructors by priority, then main. The last one creates the thread.
#include <pthread.h>

static int shared;
static pthread_t thread;

static void *worker(void *arg)
{
    shared++; // no-race
    return arg;
}

__attribute__((constructor(300))) static void third(void)
{
    pthread_create(&thread, 0, worker, 0);
}

static void second(void)
{
    shared *= 2; // no-race
}
static void (*const by_priority)(void) __attribute__((section(".init_array.00200"), used)) = second;

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
