// A callee stores a number in memory that is the same for all threads, until another callee changes it.
#include <pthread.h>

static int which, saved, data;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void remember(int *place)
{
    *place = which; // no-race
}

static void set(int value)
{
    which = value; // no-race
}

static void *worker(void *arg)
{
    int k = which; // no-race
    pthread_mutex_lock(&m[k]);
    data++; // race
    pthread_mutex_unlock(&m[k]);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    set(argc > 1);
    remember(&saved);
    set(argc <= 1);
    pthread_create(&t, NULL, worker, argv);
    int k = saved;
    pthread_mutex_lock(&m[k]);
    data++; // race
    pthread_mutex_unlock(&m[k]);
    pthread_join(t, NULL);
    return 0;
}
