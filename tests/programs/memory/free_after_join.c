// The buffer is freed after the reader was joined.
#include <pthread.h>
#include <stdlib.h>

static void *reader(void *arg) {
    int *p = arg;
    return p[0] + p[1] == 3 ? arg : NULL;       // no-race
}

int main(void) {
    pthread_t t;
    int *p = malloc(2 * sizeof *p);
    p[0] = 1;                                   // no-race
    p[1] = 2;                                   // no-race
    pthread_create(&t, NULL, reader, p);
    pthread_join(t, NULL);
    free(p);                                    // no-race
    return 0;
}
