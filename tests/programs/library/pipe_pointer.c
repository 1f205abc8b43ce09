// The address of a new object goes through a pipe; both ends write to it under one lock.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void *first(void *arg) {
    int *got;
    if (read(ends[0], &got, sizeof got) != sizeof got) {
        return NULL;
    }
    pthread_mutex_lock(&m);
    *got = 1;                                  // no-race alarm(explore): pipes are outside of the program's memory
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    int *made = malloc(sizeof *made);
    if (write(ends[1], &made, sizeof made) != sizeof made) {
        return NULL;
    }
    pthread_mutex_lock(&m);
    *made = 2;                                 // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    if (pipe(ends) != 0) {
        return 1;
    }
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
