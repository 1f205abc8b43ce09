// A thread reads the errno of another one, which a library function sets meanwhile.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static int *error_of_main;

static void *worker(void *arg) {
    return *error_of_main != 0 ? arg : NULL;                // race missed(explore): the library's write is not observed
}

int main(void) {
    pthread_t t;
    error_of_main = &errno;
    pthread_create(&t, NULL, worker, NULL);
    strtol("99999999999999999999999999", NULL, 10);         // race missed(explore): the library's write is not observed
    pthread_join(t, NULL);
    return 0;
}
