// The elements are made anew while the threads of the first ones still run, and are found by the pointer.
#include <pthread.h>
#include <stdlib.h>

struct worker {
    pthread_t id;
    int result;
};
static struct worker *workers;

static void *work(void *arg) {
    workers[1].result += 1; // race
    return arg;
}

int main(void) {
    pthread_t s, t;
    workers = calloc(2, sizeof *workers);
    if (workers == NULL)
        return 1;
    pthread_create(&s, NULL, work, NULL);
    workers = calloc(2, sizeof *workers); // race
    if (workers == NULL)
        return 1;
    pthread_create(&t, NULL, work, NULL);
    workers[1].result = 3; // race
    return 0;
}
