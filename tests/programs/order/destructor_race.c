// A destructor runs when main returns, while the thread still works.
#include <pthread.h>

static int open_files;

__attribute__((destructor)) static void finish(void) {
    open_files = 0;                             // race
}

static void *worker(void *arg) {
    open_files++;                               // race
    return arg;
}

int main(void) {
    pthread_t t;
    if (pthread_create(&t, NULL, worker, NULL) == 0)
        pthread_detach(t);
    return 0;
}
