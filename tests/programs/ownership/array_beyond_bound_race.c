// A loop that steps over its bound makes more threads than there are numbers below it; one gets another's element.
#include <pthread.h>

static int cell[16];

static void *worker(void *arg) {
    cell[(long)arg]++;                          // race
    return NULL;
}

static void *other(void *arg) {
    cell[6]++;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (long i = 0; i != 5; i += 2) {
        pthread_create(&t, NULL, worker, (void *)i);
        if (i == 8)
            pthread_exit(NULL);
    }
    return 0;
}
