// A thread counts where its argument is in one array, and uses that as an index into another one.
#include <pthread.h>
#include <stddef.h>

static char places[4], counts[4];
static char *current;

static void *worker(void *arg) {
    ptrdiff_t i = (char *)arg - places;
    current[i]++;                               // race
    return NULL;
}

static void *other(void *arg) {
    counts[1]++;                                // race
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    (void)argv;
    current = argc > 3 ? counts + 1 : counts;
    pthread_create(&a, NULL, worker, &places[argc]);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
