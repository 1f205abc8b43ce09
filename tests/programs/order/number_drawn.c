// Of many threads, each of which draws a number under the lock, the one that has drawn 7 does the work.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count, chosen;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    count++;                                    // no-race
    int mine = count;                           // no-race
    pthread_mutex_unlock(&m);
    if (mine == 7)
        chosen++;                               // no-race alarm(explore): a hundred threads
    return arg;
}

int main(void) {
    for (int i = 0; i < 100; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    return 0;
}
