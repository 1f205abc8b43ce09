// Weak bounds of a section, kept in a variable with an initial value.
#include <pthread.h>

static int first __attribute__((section("numbers"), used)) = 1;
static int second __attribute__((section("numbers"), used)) = 1;
extern int __start_numbers[] __attribute__((weak)), __stop_numbers[] __attribute__((weak));
static int *begin = __start_numbers, *end = __stop_numbers;

static void *worker(void *arg)
{
    for (int *p = begin; p && p < end; p++)
        (*p)++; // race
    return arg;
}

int main(void)
{
    pthread_t thread;
    first = 3; // no-race
    pthread_create(&thread, 0, worker, 0);
    second = 2; // race
    pthread_join(thread, 0);
    return 0;
}
