// Only threads with an argument lock, but all of them change the value.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    if (arg != NULL)
        pthread_mutex_lock(&m);
    value++;                                    // race
    if (arg != NULL)
        pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, i == 0 ? NULL : &m);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return value == 3 ? 0 : 1;                  // no-race
}
