// strdup reads the original while main changes it.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char original[] = "text";

static void *worker(void *arg) {
    char *mine = strdup(original);              // race
    mine[0] = 'n';                              // no-race
    free(mine);                                 // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    original[2] = 's';                          // race
    pthread_join(t, NULL);
    return original[0] == 't' ? 0 : 1;          // no-race
}
