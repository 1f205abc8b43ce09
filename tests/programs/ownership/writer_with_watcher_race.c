// Only main writes the pointer; a thread that tells whether it is set takes nothing from the elements.
#include <pthread.h>
#include <stdlib.h>

struct worker {
    pthread_t thread;
    int first, last;
    long sum;
};

static struct worker *w;
static void *watch(void *arg) {
    if (w) // race
        return arg;
    return NULL;
}

static void *work(void *arg) {
    struct worker *mine = arg;
    for (int i = mine->first; i < mine->last; i++) // no-race
        mine->sum += i; // no-race
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t watcher;
    int n = argc + 2;
    long all = 0;
    pthread_create(&watcher, NULL, watch, NULL);
    w = calloc(n, sizeof *w); // race
    if (w == NULL)
        return 1;
    for (int i = 0; i < n; i++) {
        w[i].first = 10 * i; // no-race
        w[i].last = 10 * i + 10; // no-race
        w[i].sum = 0; // no-race
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(w[i].thread, NULL);
        all += w[i].sum; // no-race
    }
    pthread_join(watcher, NULL);
    return (int)all;
}
