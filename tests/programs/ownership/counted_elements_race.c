// The loop goes over the elements that the worker uses, too.
#include <pthread.h>

static struct {
    int before;
    int cells[4];
} box;

static void *worker(void *arg) {
    for (int i = 2; i < 4; i++)
        box.cells[i] = 1;   // race
    box.before = 1;         // no-race
    return arg;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, worker, NULL);
    for (int i = 0; i <= 2; i++)
        box.cells[i] = 2;   // race
    pthread_join(id, NULL);
    return 0;
}
