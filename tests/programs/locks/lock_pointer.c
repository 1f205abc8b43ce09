// The lock is named by a global pointer that is set before the threads start.
#include <pthread.h>

static pthread_mutex_t real = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *lock;
static int value;

static void *by_pointer(void *arg) {
    pthread_mutex_lock(lock);
    value++;                                    // no-race
    pthread_mutex_unlock(lock);
    return arg;
}

static void *by_name(void *arg) {
    pthread_mutex_lock(&real);
    value--;                                    // no-race
    pthread_mutex_unlock(&real);
    return arg;
}

int main(void) {
    pthread_t a, b;
    lock = &real;
    pthread_create(&a, NULL, by_pointer, NULL);
    pthread_create(&b, NULL, by_name, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value;                               // no-race
}
