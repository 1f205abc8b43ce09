// Objects that are found through a table: the semaphore is the next one's.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define N 2
struct box {
    sem_t is_free;
    int content;
};
static struct box *boxes[N];

static struct box *new_box(void) {
    struct box *b = calloc(1, sizeof *b);
    sem_init(&b->is_free, 0, 1);
    return b;
}

static void *worker(void *arg) {
    for (int i = 0; i < N; i++) {
        struct box *b = boxes[arg != NULL ? i : 0]; // no-race
        sem_wait(&boxes[1 - i]->is_free);
        b->content++;                           // race
        sem_post(&boxes[1 - i]->is_free);
    }
    return arg;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        boxes[i] = new_box();                   // no-race
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return boxes[0]->content == N ? 0 : 1;      // no-race
}
