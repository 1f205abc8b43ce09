// Two threads format into the same buffer.
#include <pthread.h>
#include <stdio.h>

static char line[64];

static void *worker(void *arg) {
    snprintf(line, sizeof line, "thread %ld", (long)arg);  // race
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
