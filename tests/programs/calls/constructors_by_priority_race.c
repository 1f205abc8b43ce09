// Constructors run by their priorities, not as they stand in the file: the last one says that no lock is needed.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int needed, x;

__attribute__((constructor(300))) static void later(void) { needed = 0; }
__attribute__((constructor(200))) static void earlier(void) { needed = 1; }

static void *worker(void *arg) {
    if (needed)
        pthread_mutex_lock(&m);
    x++;                                        // race
    if (needed)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
