// The result of trylock is read the wrong way round: non-zero means that it failed.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *holder(void *arg) {
    pthread_mutex_lock(&m);
    for (int i = 0; i < 200; i++)
        value++;                                // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void *confused(void *arg) {
    for (int i = 0; i < 200; i++) {
        if (pthread_mutex_trylock(&m)) {
            value++;                            // race
        } else {
            pthread_mutex_unlock(&m);
        }
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, holder, NULL);
    pthread_create(&b, NULL, confused, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 400 ? 0 : 1;                // no-race
}
