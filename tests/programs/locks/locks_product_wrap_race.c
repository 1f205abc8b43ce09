// The lock goes with the index, but two indices lead to one element: the product goes around the address space.
#include <pthread.h>

static int data[2];
static pthread_mutex_t locks[8];
static volatile unsigned long one = 1;

static void *worker(void *arg) {
    unsigned long i = (unsigned long)arg & 4;
    pthread_mutex_lock(&locks[i]);
    (*(int *)((char *)data + (i << 62)))++;     // race
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

int main(void) {
    pthread_t t;
    unsigned long k = one;
    for (int j = 0; j < 2; j++) {
        pthread_create(&t, NULL, worker, (void *)k);
        k *= 4;
    }
    return 0;
}
