// A spin lock that whoever comes first initialises, once.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t lock;
static int value;

static void prepare(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE); // no-race
}

static void *worker(void *arg) {
    pthread_once(&once, prepare);
    pthread_spin_lock(&lock);                   // no-race
    value++;                                    // no-race
    pthread_spin_unlock(&lock);                 // no-race
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
