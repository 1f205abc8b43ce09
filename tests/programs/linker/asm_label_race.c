// Two names in C are one symbol for the assembler.
#include <pthread.h>

int shared;
extern int other_name __asm__("shared");

static void *worker(void *arg)
{
    other_name++; // race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    shared = 2; // race
    pthread_join(thread, 0);
    return 0;
}
