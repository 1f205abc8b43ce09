// Each thread gets the address of its own array element.
#include <pthread.h>

#define N 4
static int cell[N];

static void *worker(void *arg) {
    int *mine = arg;
    *mine += 1;                                 // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        cell[i] = i;                            // no-race
        pthread_create(&t[i], NULL, worker, &cell[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[3] == 4 ? 0 : 1;                // no-race
}
