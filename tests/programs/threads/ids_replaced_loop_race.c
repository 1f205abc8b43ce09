// Threads that a loop has made are joined through a pointer that a function called in between lets point elsewhere.
#include <pthread.h>
#include <stdlib.h>

static pthread_t *ids, *others;
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    total++;                                    // race
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *idle(void *arg) { return arg; }

static void choose(int i) {
    if (i == 1)
        ids = others;
}

int main(void) {
    ids = malloc(3 * sizeof *ids);
    others = malloc(3 * sizeof *others);
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&others[i], NULL, idle, NULL);
    for (int i = 0; i < 3; i++) {
        choose(i);
        pthread_join(ids[i], NULL);
    }
    total = 0;                                  // race
    return 0;
}
