// The number of threads is changed between the loops that create and join them, and a thread reads it.
#include <pthread.h>
#include <stdlib.h>

struct worker {
    pthread_t id;
    int result;
};
static struct worker workers[8];
static int count = 4;

static void *work(void *arg) {
    struct worker *mine = arg;
    if (count > 0) // race
        mine->result = 1; // race
    return NULL;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        pthread_create(&workers[i].id, NULL, work, &workers[i]);
    count--; // race
    for (int i = 0; i < count; i++)
        pthread_join(workers[i].id, NULL);
    for (int i = 0; i < 4; i++)
        sum += workers[i].result; // race
    return sum;
}
