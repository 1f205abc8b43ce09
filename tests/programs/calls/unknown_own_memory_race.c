// Memory of an unknown library, which the program uses while a thread may call the library.
#include <pthread.h>

int *numbers(void) __attribute__((weak));
void tick(void) __attribute__((weak));

static void *worker(void *arg)
{
    tick(); // race missed(explore): `tick` is defined nowhere
    return arg;
}

int main(void)
{
    pthread_t first, second;
    int *number = numbers();
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    *number = 1; // race missed(explore): nothing is executed
    pthread_join(first, 0);
    pthread_join(second, 0);
    return *number; // no-race
}
