// A thread starts a thread of another kind, which starts the first kind again: joining the first does not end all.
#include <pthread.h>

static int value;
static int rounds;

static void *other(void *arg);

static void *first(void *arg) {
    pthread_t t;
    value++;                                    // race
    if (rounds == 0 && arg == NULL)
        pthread_create(&t, NULL, other, &rounds);
    return NULL;
}

static void *other(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, first, arg);
    return NULL;
}

static void start(void) {
    pthread_t t;
    pthread_create(&t, NULL, first, NULL);
    pthread_join(t, NULL);
}

int main(void) {
    start();
    value++;                                    // race
    return 0;
}
