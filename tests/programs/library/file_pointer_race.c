// The FILE is locked by the library, the variable that holds its address is not.
#include <pthread.h>
#include <stdio.h>

static FILE *out;

static void *worker(void *arg) {
    FILE *f = out;                              // race
    fprintf(f, "line\n");
    return arg;
}

int main(void) {
    pthread_t t;
    out = stdout;                               // no-race
    pthread_create(&t, NULL, worker, NULL);
    out = stderr;                               // race
    pthread_join(t, NULL);
    return 0;
}
