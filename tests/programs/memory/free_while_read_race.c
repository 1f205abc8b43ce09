// The buffer is freed while the reader may still read.
#include <pthread.h>
#include <stdlib.h>

static void *reader(void *arg) {
    int *p = arg;
    return p[0] + p[1] == 3 ? arg : NULL;       // race
}

int main(void) {
    pthread_t t;
    int *p = malloc(2 * sizeof *p);
    p[0] = 1;                                   // no-race
    p[1] = 2;                                   // no-race
    pthread_create(&t, NULL, reader, p);
    free(p);                                    // race
    pthread_join(t, NULL);
    return 0;
}
