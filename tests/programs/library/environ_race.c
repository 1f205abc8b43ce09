// getenv looks where a variable of the program's says, which another thread sets.
#include <pthread.h>
#include <stdlib.h>

extern char **environ;
static char *none[] = {NULL};

static void *asks(void *arg) {
    return getenv("HOME") != NULL ? arg : NULL; // race missed(explore): what the library reads is not observed
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, asks, NULL);
    environ = none;                             // race missed(explore): the same
    pthread_join(t, NULL);
    return 0;
}
