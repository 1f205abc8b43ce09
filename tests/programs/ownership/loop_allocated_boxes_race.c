// As loop_allocated_boxes, but one thread is given the box that the other one reads.
#include <pthread.h>
#include <stdlib.h>

struct box {
    int value;
};
static struct box *boxes[3];

static void *worker(void *arg) {
    struct box *mine = arg;
    for (int i = 0; i < 2; i++)
        mine->value += boxes[2]->value;         // race
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 3; i++) {
        boxes[i] = malloc(sizeof *boxes[i]);
        boxes[i]->value = i;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, boxes[i + 1]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return boxes[1]->value + boxes[2]->value;
}
