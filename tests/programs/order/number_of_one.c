// The threads are numbered by their arguments, and the third one does the work.
#include <pthread.h>

static int chosen[2];

static void *worker(void *arg) {
    long mine = (long)arg;
    if (mine == 2)
        chosen[mine & 1]++;                     // no-race alarm(explore): a hundred threads
    return NULL;
}

int main(void) {
    for (long i = 0; i < 100; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, (void *)i);
        pthread_detach(t);
    }
    return 0;
}
