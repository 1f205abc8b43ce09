// Check under the lock, act outside of it.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int slots = 4;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int free_slots = slots;                     // race
    pthread_mutex_unlock(&m);
    if (free_slots > 0)
        slots = free_slots - 1;                 // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return slots < 4 ? 0 : 1;                   // no-race
}
