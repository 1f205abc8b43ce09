// Three attempts must fail, each because of another step of the other thread.
// The race needs: none; a step of the second thread between any two of the first.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int version;
static int shared;

static void *first(void *arg) {
    int failures = 0;
    for (int i = 0; i < 3; i++) {
        int seen = atomic_load(&version);
        if (atomic_compare_exchange_strong(&version, &seen, seen + 100))
            return arg;
        failures++;
    }
    if (failures == 3) {
        shared = failures;                      // race
    }
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    for (int i = 0; i < 3; i++) {
        atomic_fetch_add(&version, 1);
        shared++;                               // race
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
