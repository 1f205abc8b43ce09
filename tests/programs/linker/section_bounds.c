// Variables in a section of their own, found by the bounds that the linker defines; all under one lock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits __attribute__((section("counters"), used)) = 1;
static int misses __attribute__((section("counters"), used)) = 1;
extern int __start_counters[], __stop_counters[];

static void *clear(void *arg)
{
    pthread_mutex_lock(&lock);
    for (int *p = __start_counters; p < __stop_counters; p++)
        *p = 0; // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, clear, 0);
    pthread_mutex_lock(&lock);
    hits++; // no-race
    misses++; // no-race
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
