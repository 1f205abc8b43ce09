// Pointers that are null in this program wherever they come from: a hook that nobody sets, a result that nobody wants.
#include <pthread.h>
#include <stddef.h>

struct hooks {
    int *count;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct hooks hooks;
static int *none(void) { return NULL; }
static int value;

static void add(int by, int *before) {
    pthread_mutex_lock(&m);
    if (before != NULL)
        *before = value;                        // no-race
    value += by;                                // no-race
    pthread_mutex_unlock(&m);
    if (hooks.count != NULL)
        *hooks.count += 1;                      // no-race
    int *other = by > 1 ? none() : before;
    if (other != NULL)
        *other = 1;                             // no-race
}

static void *worker(void *arg) {
    add(1, arg);
    return NULL;
}

int main(void) {
    pthread_t t;
    hooks.count = NULL;
    pthread_create(&t, NULL, worker, NULL);
    add(2, NULL);
    pthread_join(t, NULL);
    return 0;
}
