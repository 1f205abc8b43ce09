// Each thread formats into a buffer of its own and prints to the common stdout, which locks itself.
#include <pthread.h>
#include <stdio.h>

static void *worker(void *arg) {
    char line[64];
    sprintf(line, "thread %ld", (long)arg);     // no-race
    printf("%s\n", line);                       // no-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
