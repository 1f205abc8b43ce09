// `#pragma weak` makes a second name of a function, which locks.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
void count(void);
#pragma weak count = real_count
void real_count(void)
{
    pthread_mutex_lock(&lock);
    total++; // no-race
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    count();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    real_count();
    pthread_join(thread, 0);
    return 0;
}
