// The address of a new object goes through a pipe; both ends write to it.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void *first(void *arg) {
    int *got;
    if (read(ends[0], &got, sizeof got) != sizeof got) {
        return NULL;
    }
    *got = 1;                                  // race
    return arg;
}

static void *second(void *arg) {
    int *made = malloc(sizeof *made);
    if (write(ends[1], &made, sizeof made) != sizeof made) {
        return NULL;
    }
    *made = 2;                                 // race
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
