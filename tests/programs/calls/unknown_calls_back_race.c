// An unknown function calls back, in the thread that has called it: a function that gives the lock back.
#include <pthread.h>

void run(void (*function)(void)) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void touch(void)
{
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    run(touch);
    count++; // race missed(explore): `run` is defined nowhere
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
