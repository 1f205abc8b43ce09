// The index of each thread is a char that moves along with the loop; after 256 rounds it is the same again.
#include <pthread.h>

static int cell[256];

static void *worker(void *arg) {
    cell[(long)arg + 128]++;                    // race missed(explore): more threads than it can run
    return NULL;
}

int main(void) {
    pthread_t t;
    signed char c = 0;
    for (int i = 0; i < 300; i++, c++)
        pthread_create(&t, NULL, worker, (void *)(long)c);
    return 0;
}
