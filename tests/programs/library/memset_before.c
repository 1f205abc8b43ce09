// memset prepares the data before the threads start, memmove moves it after they have ended.
#include <pthread.h>
#include <string.h>

static int cells[4];

static void *worker(void *arg) {
    cells[(long)arg]--;                         // no-race
    return NULL;
}

int main(void) {
    pthread_t t[4];
    memset(cells, 0, sizeof cells);             // no-race
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    memmove(cells, cells + 1, 3 * sizeof cells[0]);  // no-race
    return cells[0] == -1 ? 0 : 1;              // no-race
}
