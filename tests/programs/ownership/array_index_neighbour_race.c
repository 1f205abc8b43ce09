// Each thread writes its own element and reads the one after it.
#include <pthread.h>

#define N 4
static int cell[N + 1];

static void *worker(void *arg) {
    long i = (long)arg;
    cell[i] = (int)i;                           // race
    int next = cell[i + 1];                     // race
    return next > N ? arg : NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[3] == 3 ? 0 : 1;                // no-race
}
