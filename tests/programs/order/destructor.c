// Destructors run when main returns: behind the end of the thread, and the one that was given the lower priority last.
#include <pthread.h>

static int open_files;

__attribute__((destructor(200))) static void finish(void) {
    open_files = 0;                             // no-race alarm(lockset): a destructor is taken to run at any time
}

__attribute__((destructor(300))) static void flush(void) {
    open_files--;                               // no-race alarm(lockset): a destructor is taken to run at any time
}

static void *worker(void *arg) {
    open_files++;                               // no-race alarm(lockset): a destructor is taken to run at any time
    return arg;
}

int main(void) {
    pthread_t t;
    if (pthread_create(&t, NULL, worker, NULL) == 0)
        pthread_join(t, NULL);
    return 0;
}
