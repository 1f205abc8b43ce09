// atomic_init before the threads start.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

static void *worker(void *arg) {
    return atomic_fetch_or(&value, 4) ? arg : NULL;  // no-race
}

int main(void) {
    pthread_t t;
    atomic_init(&value, 1);                     // no-race
    pthread_create(&t, NULL, worker, NULL);
    atomic_fetch_and(&value, 7);                // no-race
    pthread_join(t, NULL);
    return value == 5 ? 0 : 1;                  // no-race
}
