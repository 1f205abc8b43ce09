// A callee has found that a number is zero, before another one sets it: that it was zero says nothing any more.
#include <pthread.h>
#include <stdlib.h>

static int mode, data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void check(void)
{
    if (mode) // no-race
        exit(1);
}

static void set(int value)
{
    mode = value; // no-race
}

static int is_on(void)
{
    return mode; // no-race
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    data += mode; // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    set(argc > 1);
    check();
    set(argc <= 1);
    pthread_create(&t, NULL, worker, argv);
    if (is_on())
        data++; // race
    pthread_join(t, NULL);
    return 0;
}
