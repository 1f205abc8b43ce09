// Memory of an unknown library, which the program uses when no thread runs that could call the library.
#include <pthread.h>

int *numbers(void) __attribute__((weak));
void tick(void) __attribute__((weak));

static void *worker(void *arg)
{
    tick(); // no-race alarm(explore): `tick` is defined nowhere
    return arg;
}

int main(void)
{
    pthread_t first, second;
    int *number = numbers();
    *number = 1; // no-race
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return *number; // no-race
}
