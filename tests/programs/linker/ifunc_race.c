// An indirect function: the loader asks a resolver which code it is. The code counts without a lock.
#include <pthread.h>

static int total;

static int add(int n)
{
    total += n; // race
    return n;
}

static int (*resolve(void))(int)
{
    return add;
}

int count(int) __attribute__((ifunc("resolve")));

static void *worker(void *arg)
{
    count(1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    count(2);
    pthread_join(thread, 0);
    return 0;
}
