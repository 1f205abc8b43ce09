// Arguments differ, but the index that each thread makes of it goes once around the address space.
#include <pthread.h>

static char cell[4];

static void *worker(void *arg) {
    unsigned long i = (unsigned long)arg * 0x4000000000000000UL;
    if (i < 4)
        cell[i]++;                              // race
    return NULL;
}

int main(void) {
    pthread_t t;
    for (unsigned long i = 0; i < 5; i++)
        pthread_create(&t, NULL, worker, (void *)i);
    return 0;
}
