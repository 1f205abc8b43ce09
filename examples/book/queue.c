/* A single-producer single-consumer ring without locks. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4 };

static int slots[SIZE];
static atomic_uint head, tail;
static unsigned jobs;

static void *producer(void *argument)
{
    for (unsigned i = 0; i < jobs; i++) {
        while (atomic_load(&head) - atomic_load(&tail) == SIZE)
            ;
        slots[atomic_load(&head) % SIZE] = (int)i;
        atomic_fetch_add(&head, 1);
    }
    return argument;
}

int main(int argc, char **argv)
{
    jobs = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    int sum = 0;
    for (unsigned i = 0; i < jobs; i++) {
        while (atomic_load(&tail) == atomic_load(&head))
            ;
        sum += slots[atomic_load(&tail) % SIZE];
        atomic_fetch_add(&tail, 1);
    }
    pthread_join(thread, NULL);
    printf("%d\n", sum);
    return 0;
}
