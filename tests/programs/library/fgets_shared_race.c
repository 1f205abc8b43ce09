// fgets into one shared line buffer by two threads.
#include <pthread.h>
#include <stdio.h>

static char line[16];

static void *worker(void *arg) {
    FILE *f = fopen("/proc/self/comm", "r");
    if (f == NULL)
        return NULL;
    char *got = fgets(line, sizeof line, f);    // race missed(explore): streams that are closed are not observed
    fclose(f);
    return got != NULL ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return line[15];                            // no-race
}
