/* What main does before the first create and after the last join is ordered; in between it is not. */
#include <pthread.h>

static int before, during, after;

static void *reader(void *unused)
{
    after = before + during;
    return unused;
}

int main(void)
{
    pthread_t thread;
    before = 1;
    pthread_create(&thread, 0, reader, 0);
    during = 2;
    pthread_join(thread, 0);
    return after;
}
