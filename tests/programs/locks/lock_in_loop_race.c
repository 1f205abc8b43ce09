// A break leaves the loop after the unlock; the access behind the loop expects the lock.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    int held = 1;
    pthread_mutex_lock(&m);
    for (int i = 0; i < 10; i++) {
        value++;                                // race
        pthread_mutex_unlock(&m);
        if (arg != NULL && i == 3) {
            held = 0;
            break;
        }
        pthread_mutex_lock(&m);
    }
    value++;                                    // race
    if (held)
        pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &m);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 20 ? 0 : 1;                 // no-race
}
