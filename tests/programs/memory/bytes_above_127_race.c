// A constant table of bytes with one that is negative as a char.
#include <pthread.h>

static const signed char steps[] = {1, 2, -56, 4};
static int value;

static void *worker(void *arg) {
    (void)arg;
    if (steps[2] < 0)
        value = 2;                              // race
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    value = 1;                                  // race
    pthread_join(t, NULL);
    return 0;
}
