// The bound of the loop that makes the threads is a large unsigned number, not a negative one.
#include <limits.h>
#include <pthread.h>

static int cell[16];

static void *worker(void *arg) {
    cell[(long)arg]++;                          // race
    return NULL;
}

static void *other(void *arg) {
    cell[2]++;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (unsigned i = 0; i < UINT_MAX; i++) {
        pthread_create(&t, NULL, worker, (void *)(long)(int)i);
        if (i == 2)
            pthread_exit(NULL);
    }
    return 0;
}
