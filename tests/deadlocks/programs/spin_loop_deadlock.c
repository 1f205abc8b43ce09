// a thread spins until another one has set a flag, which needs no lock or the lock of the first: deadlock
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;

static void *waiter(void *p) {
    pthread_mutex_lock(&m);
    while (!ready) { // deadlock
    }
    pthread_mutex_unlock(&m);
    return p;
}

static void *setter(void *p) {
    pthread_mutex_lock(&m); // deadlock
    ready = 1;
    pthread_mutex_unlock(&m);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, waiter, 0);
    pthread_create(&u, 0, setter, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
