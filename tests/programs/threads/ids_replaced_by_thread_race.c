// A thread lets the pointer to the ids point elsewhere while they are joined.
#include <pthread.h>
#include <stdlib.h>

static pthread_t *ids, *others;
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    ids = others;                               // no-race
    pthread_mutex_unlock(&lock);
    total++;                                    // race
    return arg;
}

static void *idle(void *arg) { return arg; }

int main(void) {
    ids = malloc(2 * sizeof *ids);
    others = malloc(2 * sizeof *others);
    pthread_t *mine = ids;
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, idle, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&mine[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        pthread_t *now = ids;                   // no-race
        pthread_mutex_unlock(&lock);
        pthread_join(now[i], NULL);
    }
    total = 0;                                  // race
    return 0;
}
