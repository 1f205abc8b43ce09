// The library calls two functions in turn: the first gives the lock back under which the second would be.
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_held;
static int x;

static int filter(const struct dirent *entry) {
    (void)entry;
    if (is_held) {
        is_held = 0;
        pthread_mutex_unlock(&m);
    }
    return 1;
}

static int compare(const struct dirent **a, const struct dirent **b) {
    (void)a;
    (void)b;
    x++;                                        // race
    return 0;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    x++;                                        // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    struct dirent **entries;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    is_held = 1;
    scandir("/", &entries, filter, compare);
    pthread_join(t, NULL);
    return 0;
}
