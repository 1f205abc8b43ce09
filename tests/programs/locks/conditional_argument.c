// The thread's argument decides about lock, access and unlock, in separate tests.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value, base = 3;

static void *worker(void *arg) {
    int result = base;                          // no-race
    if (arg != NULL)
        pthread_mutex_lock(&m);
    result += 1;
    if (arg != NULL) {
        value += result;                        // no-race
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, i == 0 ? NULL : &m);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return value == 8 ? 0 : 1;                  // no-race
}
