// Each thread works on the element that a function of its index tells: the same one for two of them.
#include <pthread.h>

#define N 3
static int cell[2 * N];

static int place(int i) {
    return 2 * (i / 2) + 1;
}

static void *worker(void *arg) {
    int i = (int)(long)arg;
    cell[place(i)] = i;                         // race
    cell[place(i) - 1] = cell[place(i)];        // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[3] == 2 ? 0 : 1;                // no-race
}
