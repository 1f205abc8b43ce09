// `#pragma weak` makes a second name of a function.
#include <pthread.h>

static int total;
void count(void);
#pragma weak count = real_count
void real_count(void)
{
    total++; // race
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
