// memcpy into a shared buffer and out of it, under a lock.
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char shared[16];

static void *writer(void *arg) {
    char mine[16] = "hello";
    pthread_mutex_lock(&m);
    memcpy(shared, mine, sizeof mine);          // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    char copy[16];
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&m);
    memcpy(copy, shared, sizeof copy);          // no-race
    pthread_mutex_unlock(&m);
    copy[0] = 'x';                              // no-race
    pthread_join(t, NULL);
    return shared[0] == 'h' ? 0 : 1;            // no-race
}
