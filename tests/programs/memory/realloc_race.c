// realloc gives up the old block while another thread reads it through its own pointer.
#include <pthread.h>
#include <stdlib.h>

static void *reader(void *arg) {
    int *p = arg;
    return p[3] == 7 ? arg : NULL;              // race
}

int main(void) {
    pthread_t t;
    int *p = calloc(4, sizeof *p);
    p[3] = 7;                                   // no-race
    pthread_create(&t, NULL, reader, p);
    p = realloc(p, 4000 * sizeof *p);           // race
    pthread_join(t, NULL);
    free(p);                                    // no-race
    return 0;
}
