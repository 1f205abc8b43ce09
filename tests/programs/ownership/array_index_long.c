// Each thread works on the element of its index, which was a long and becomes an int.
#include <pthread.h>

#define N 3
static int cell[N];

static void *worker(void *arg) {
    int i = (int)(long)arg;
    cell[i]++;                                  // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[2] == 1 ? 0 : 1;                // no-race
}
