// Main changes the inputs of threads that already run.
#include <pthread.h>

#define N 3
static struct work {
    pthread_t id;
    int input, output;
} works[N];

static void *worker(void *arg) {
    struct work *w = arg;
    w->output = w->input * 2;                   // race
    return NULL;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < N; i++)
        pthread_create(&works[i].id, NULL, worker, &works[i]);
    for (int i = 0; i < N; i++)
        works[i].input = i;                     // race
    for (int i = 0; i < N; i++) {
        pthread_join(works[i].id, NULL);
        sum += works[i].output;                 // no-race
    }
    return sum >= 0 ? 0 : 1;
}
