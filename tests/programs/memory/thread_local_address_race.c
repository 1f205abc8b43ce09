// The address of main's thread-local variable is given to another thread.
#include <pthread.h>

static __thread int counter;

static void *worker(void *arg) {
    int *of_main = arg;
    counter++;                                  // no-race alarm(lockset): one object for the variable of all threads
    *of_main += 1;                              // race
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, &counter);
    counter++;                                  // race
    pthread_join(t, NULL);
    return counter == 2 ? 0 : 1;                // no-race
}
