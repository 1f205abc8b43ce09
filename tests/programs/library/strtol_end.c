// strtol stores a pointer into the string; each thread parses a part of its own.
#include <pthread.h>
#include <stdlib.h>

static char inputs[2][8] = {"12 x", "34 y"};

static void *worker(void *arg) {
    char *end;
    long n = strtol(arg, &end, 10);             // no-race alarm(lockset): a pointer that the library stored is not followed
    *end = '\0';                                // no-race alarm(lockset): a pointer that the library stored is not followed
    return (void *)n;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, inputs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return inputs[0][2] + inputs[1][2];         // no-race
}
