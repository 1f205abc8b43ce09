/* A sum in parts: each thread has a part of the array and a result of its own,
 * main adds the results up after joining. No lock anywhere, and no data race. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define LENGTH 4000

struct part {
    pthread_t thread;
    const int *from;
    int count;
    long sum;
};

static void *add_up(void *argument)
{
    struct part *part = argument;
    for (int i = 0; i < part->count; i++)
        part->sum += part->from[i];
    return NULL;
}

int main(void)
{
    static int numbers[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        numbers[i] = i;

    struct part parts[THREADS];
    for (int i = 0; i < THREADS; i++) {
        parts[i].from = numbers + i * (LENGTH / THREADS);
        parts[i].count = LENGTH / THREADS;
        parts[i].sum = 0;
        if (pthread_create(&parts[i].thread, NULL, add_up, &parts[i]) != 0)
            abort();
    }

    long sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(parts[i].thread, NULL);
        sum += parts[i].sum;
    }
    printf("%ld\n", sum);
    return 0;
}
