// A switch whose cases all run under the lock taken before it.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    switch ((long)arg) {
    case 0:
        state = 1;                              // no-race
        break;
    case 1:
        state = 2;                              // no-race
        break;
    default:
        state = 3;                              // no-race
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return state > 0 ? 0 : 1;                   // no-race
}
