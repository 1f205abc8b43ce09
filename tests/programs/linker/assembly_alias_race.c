// Assembly at file scope makes a second name of a variable.
#include <pthread.h>

int total;
extern int second_name;
__asm__(".globl second_name\n\t.set second_name, total");

static void *worker(void *arg)
{
    second_name++; // race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    total = 2; // race
    pthread_join(thread, 0);
    return 0;
}
