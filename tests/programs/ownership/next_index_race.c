// Each thread draws its index from a counter without a lock: two may draw the same.
#include <pthread.h>

#define N 3
static int next, cell[N];

static void *worker(void *arg) {
    int mine = next++;                          // race
    cell[mine] = 1;                             // race
    return arg;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] <= 1 ? 0 : 1;                // no-race
}
