// A growing buffer: realloc, writes and reads all under one lock.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *buffer;
static size_t used;

static void push(int value) {
    pthread_mutex_lock(&m);
    buffer = realloc(buffer, (used + 1) * sizeof *buffer);  // no-race
    buffer[used++] = value;                     // no-race
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    for (int i = 0; i < 4; i++)
        push(i);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int ok = used == 8 && buffer[0] == 0;       // no-race
    free(buffer);                               // no-race
    return ok ? 0 : 1;
}
