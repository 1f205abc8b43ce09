// Two kinds of threads that start each other through one wrapper: after joining the first, another of its kind runs.
#include <pthread.h>

static int value;

static pthread_t spawn(void *(*start)(void *), void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, start, arg);
    return t;
}

static void *other(void *arg);

static void *first(void *arg) {
    value++;                                    // race
    if (arg == NULL)
        spawn(other, &value);
    return NULL;
}

static void *other(void *arg) {
    spawn(first, arg);
    return NULL;
}

int main(void) {
    pthread_join(spawn(first, NULL), NULL);
    value++;                                    // race
    return 0;
}
