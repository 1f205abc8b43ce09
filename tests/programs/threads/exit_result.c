// pthread_exit with a pointer to a heap object deep in a call, received by join.
#include <pthread.h>
#include <stdlib.h>

static void finish(int code) {
    int *r = malloc(sizeof *r);
    *r = code;                                  // no-race
    pthread_exit(r);
}

static void *worker(void *arg) {
    finish(arg != NULL);
    return NULL;
}

int main(void) {
    pthread_t t;
    void *p;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &p);
    int code = *(int *)p;                       // no-race
    free(p);                                    // no-race
    return code;
}
