// Two threads print to the same FILE: the library locks it.
#include <pthread.h>
#include <stdio.h>

static FILE *out;

static void *worker(void *arg) {
    fprintf(out, "line %ld\n", (long)arg);      // no-race
    fputs("end\n", out);                        // no-race alarm(explore): streams are no memory of the program
    return NULL;
}

int main(void) {
    pthread_t a, b;
    out = fopen("/dev/null", "w");              // no-race
    if (out == NULL)
        return 1;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return fclose(out);                         // no-race
}
