// fread fills a buffer that another thread reads.
#include <pthread.h>
#include <stdio.h>

static char buffer[8];

static void *worker(void *arg) {
    FILE *f = fopen("/dev/zero", "rb");
    if (f == NULL)
        return NULL;
    size_t n = fread(buffer, 1, sizeof buffer, f);  // race
    fclose(f);
    return n == sizeof buffer ? arg : NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int seen = buffer[3];                       // race
    pthread_join(t, NULL);
    return seen;
}
