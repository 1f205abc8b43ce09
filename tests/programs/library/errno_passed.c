// Each thread gives the address of its own errno to a function.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static int failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const int *error) {
    if (*error != 0) {
        pthread_mutex_lock(&lock);
        failures++;                     // no-race
        pthread_mutex_unlock(&lock);
    }
}

static void *worker(void *arg) {
    errno = 0;
    strtol("99999999999999999999999999", NULL, 10);
    note(&errno);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return failures == 2 ? 0 : 1;       // no-race
}
