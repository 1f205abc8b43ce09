// Main switches the flag on while threads run: one may have passed the lock before.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int enabled;
static int value;

static void *worker(void *arg) {
    int locked = 0;
    if (enabled) {                              // no-race
        pthread_mutex_lock(&m);
        locked = 1;
    }
    if (enabled)                                // no-race
        value++;                                // race
    if (locked)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    enabled = 1;                                // no-race
    pthread_create(&c, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return value <= 3 ? 0 : 1;                  // no-race
}
