// errno is a different variable in every thread.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    errno = 0;                                  // no-race
    long n = strtol("99999999999999999999", NULL, 10);  // no-race
    return errno == ERANGE && n > 0 ? arg : NULL;  // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    errno = EINVAL;                             // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return errno == EINVAL ? 0 : 1;             // no-race
}
