// strdup copies a constant string into a new object for each thread.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char original[] = "text";

static void *worker(void *arg) {
    char *mine = strdup(original);              // no-race
    mine[0] = 'n';                              // no-race
    int same = strcmp(mine, "next") == 0;       // no-race
    free(mine);                                 // no-race
    return same ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return original[0] == 't' ? 0 : 1;          // no-race
}
