// Macros hide the lock and the access.
#include <pthread.h>

#define WITH(m, statement)           \
    do {                             \
        pthread_mutex_lock(&(m));    \
        statement;                   \
        pthread_mutex_unlock(&(m));  \
    } while (0)

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    WITH(m, value++);                           // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
