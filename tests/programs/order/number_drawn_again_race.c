// The number 0 is drawn again: a thread that has drawn enough of them sets the counter back.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count, chosen;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int mine = count++;                         // no-race
    if (mine == 3)
        count = 0;                              // no-race
    pthread_mutex_unlock(&m);
    if (mine == 0)
        chosen++;                               // race
    return arg;
}

int main(void) {
    for (int i = 0; i < 6; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    return 0;
}
