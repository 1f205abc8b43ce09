// A second name of a variable, and a weak second name of a function.
#include <pthread.h>

int shared;
extern int second_name __attribute__((alias("shared")));
static void add(void)
{
    second_name++; // race
}
void weak_add(void) __attribute__((weak, alias("add")));

static void *worker(void *arg)
{
    weak_add();
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
