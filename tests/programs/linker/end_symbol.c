// The address of the end of the program's data, which only the linker knows, is compared with: nothing is shared there.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
extern char _end, __data_start;

static int is_global(void *p)
{
    return (char *)p >= &__data_start && (char *)p < &_end;
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    if (is_global(&shared))
        shared = 1; // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&lock);
    shared = 2; // no-race
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
