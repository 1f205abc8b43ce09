// A struct that begins with an array, written word by word: its last field is written, too.
#include <pthread.h>
#include <stddef.h>

static struct queue {
    int items[4];
    int limit;
} queue = {.limit = 4};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void clear(int *words, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        words[i] = 0;                            // race
}

static void *cleaner(void *arg) {
    pthread_mutex_lock(&m);
    clear((int *)&queue, sizeof queue / sizeof(int));
    pthread_mutex_unlock(&m);
    return arg;
}

static void *reader(void *arg) {
    return queue.limit == 0 ? NULL : arg;        // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, cleaner, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
