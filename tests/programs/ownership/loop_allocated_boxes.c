// One loop allocates what the threads own and what they all only read: which is which only shows when the program runs.
#include <pthread.h>
#include <stdlib.h>

struct box {
    int value;
};
static struct box *boxes[3];

static void *worker(void *arg) {
    struct box *mine = arg;
    for (int i = 0; i < 2; i++)
        mine->value += boxes[2]->value;         // no-race alarm(lockset): one site allocates all boxes
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 3; i++) {
        boxes[i] = malloc(sizeof *boxes[i]);
        boxes[i]->value = i;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, boxes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return boxes[0]->value + boxes[1]->value;
}
