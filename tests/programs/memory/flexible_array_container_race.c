// From an entry of a flexible array member back to the structure, whose lock is not taken.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct log {
    pthread_mutex_t lock;
    int used;
    int entries[];
};

static int first;

static void *counter(void *arg) {
    struct log *log = arg;
    int *entry = &log->entries[first];
    struct log *same = (struct log *)((char *)entry - offsetof(struct log, entries));
    same->used++;                               // race
    return NULL;
}

static void *writer(void *arg) {
    struct log *log = arg;
    pthread_mutex_lock(&log->lock);
    log->entries[log->used] = 1;                // race
    log->used++;                                // race
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct log *log = malloc(sizeof *log + 6 * sizeof(int));
    pthread_mutex_init(&log->lock, NULL);
    log->used = 0;                              // no-race
    pthread_create(&a, NULL, counter, log);
    pthread_create(&b, NULL, writer, log);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(log);                                  // no-race
    return 0;
}
