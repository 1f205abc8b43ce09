// strtol stores a pointer into a string that both threads parse and cut.
#include <pthread.h>
#include <stdlib.h>

static char input[8] = "12 x";

static void *worker(void *arg) {
    char *end;
    long n = strtol(input, &end, 10);           // race
    *end = '\0';                                // race
    return n == 12 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return input[2];                            // no-race
}
