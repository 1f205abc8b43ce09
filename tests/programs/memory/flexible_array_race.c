// The number of entries in front of a flexible array member is counted without the lock.
#include <pthread.h>
#include <stdlib.h>

struct log {
    pthread_mutex_t lock;
    int used;
    int entries[];
};

static void *writer(void *arg) {
    struct log *log = arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&log->lock);
        log->entries[log->used] = i;            // race
        pthread_mutex_unlock(&log->lock);
        log->used++;                            // race
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct log *log = malloc(sizeof *log + 6 * sizeof(int));
    pthread_mutex_init(&log->lock, NULL);
    log->used = 0;                              // no-race
    pthread_create(&a, NULL, writer, log);
    pthread_create(&b, NULL, writer, log);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int used = log->used;                       // no-race
    free(log);                                  // no-race
    return used == 6 ? 0 : 1;
}
