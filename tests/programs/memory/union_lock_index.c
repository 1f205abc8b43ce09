// The number of the lock is read as a whole by both threads.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t locks[300];
static union {
    int whole;
    signed char lowest;
} number;
static int x;

static void *first(void *arg) {
    pthread_mutex_lock(&locks[number.whole]);
    x++;                                        // no-race
    pthread_mutex_unlock(&locks[number.whole]);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&locks[number.whole]);
    x++;                                        // no-race
    pthread_mutex_unlock(&locks[number.whole]);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    (void)argv;
    for (int i = 0; i < 300; i++)
        pthread_mutex_init(&locks[i], NULL);
    number.whole = 256 + argc;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
