// One case of the switch unlocks and falls through into the next.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state, odd;

static void *worker(void *arg) {
    int held = 1;
    pthread_mutex_lock(&m);
    switch ((long)arg) {
    case 0:
        odd++;                                  // no-race
        pthread_mutex_unlock(&m);
        held = 0;
        /* fall through */
    case 1:
        state++;                                // race
        break;
    default:
        odd++;                                  // no-race
    }
    if (held)
        pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return odd == 2 ? 0 : 1;                    // no-race
}
