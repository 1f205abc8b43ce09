// sprintf formats into a shared buffer under a lock, puts prints it under the same lock.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char line[64];

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sprintf(line, "thread %ld", (long)arg);     // no-race
    puts(line);                                 // no-race
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return line[0] == 't' ? 0 : 1;              // no-race
}
