/* Two threads write lines under a lock that comes from another library. */
#include <pthread.h>
#include <stdio.h>
#include "spin.h"

static int lines;

static void *writer(void *argument)
{
    spin_take(spin_of_log);
    lines++;
    spin_give(spin_of_log);
    return argument;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d lines\n", lines);
    return 0;
}
