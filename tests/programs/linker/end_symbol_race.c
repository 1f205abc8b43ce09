// A variable is reached from the end of the program's data, which only the linker knows.
#include <pthread.h>

static int shared;
extern char _end;

static void *worker(void *arg)
{
    char *end = &_end;
    long distance = (char *)&shared - end;
    *(int *)(end + distance) = 1; // race
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
